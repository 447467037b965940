//! The store fulfils the contracts of the store ports, checked by the suites that Entracte exports.

use std::sync::Arc;

use custom_store::MapStore;
use entracte_tests::contracts::StoreFixture;

async fn open() -> StoreFixture {
    let shelf = Arc::new(MapStore::default());
    StoreFixture {
        store: shelf.clone(),
        log: shelf.clone(),
        resources: shelf.clone(),
        mail: shelf.clone(),
        automations: shelf.clone(),
        tasks: shelf.clone(),
        ownership: shelf,
        keep: Box::new(()),
    }
}

entracte_tests::store_contracts!(open);
