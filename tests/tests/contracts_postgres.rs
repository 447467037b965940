//! The store on Postgres keeps the contracts of the store ports.

use entracte_tests::contracts::Stores;
use entracte_tests::contracts::access_store::Access;
use entracte_tests::contracts::outbox_store::Outbox;
use entracte_tests::postgres::{self, TestDatabase};

async fn open() -> Option<Stores> {
    postgres::stores()
}

async fn open_access() -> Option<Access> {
    let made = TestDatabase::make()?;
    Some(Access { store: made.open().access_store(), keep: Box::new(made) })
}

async fn open_outbox() -> Option<Outbox> {
    let made = TestDatabase::make()?;
    let database = made.open();
    Some(Outbox { store: database.outbox_store(), commits: database.store(), keep: Box::new(made) })
}

entracte_tests::store_contracts!(open);
entracte_tests::access_contracts!(open_access);
entracte_tests::outbox_contracts!(open_outbox);
