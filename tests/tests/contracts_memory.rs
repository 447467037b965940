//! The store in memory keeps the contracts of the store ports.

use std::sync::Arc;

use entracte_tests::contracts::Stores;
use entracte_tests::fakes::memory_store::MemoryStore;

async fn open() -> Stores {
    let store = Arc::new(MemoryStore::new());
    Stores {
        store: Arc::clone(&store) as _,
        log: Arc::clone(&store) as _,
        resources: Arc::clone(&store) as _,
        mail: store.clone(),
        automations: store.clone(),
        ownership: store,
        keep: Box::new(()),
    }
}

entracte_tests::store_contracts!(open);
