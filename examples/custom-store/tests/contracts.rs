//! The shelf keeps the contracts of the store ports, proved by the suites that Entracte exports.

use std::sync::Arc;

use custom_store::Shelf;
use entracte_tests::contracts::Stores;

async fn open() -> Stores {
    let shelf = Arc::new(Shelf::default());
    Stores {
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
