//! The store on Postgres keeps the contracts of the store ports.

use entracte_tests::contracts::Stores;
use entracte_tests::postgres;

async fn open() -> Option<Stores> {
    postgres::stores()
}

entracte_tests::store_contracts!(open);
