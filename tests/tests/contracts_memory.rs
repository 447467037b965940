//! The store in memory keeps the contracts of the store ports.

use std::sync::Arc;

use entracte_tests::contracts::Stores;
use entracte_tests::contracts::access_store::Access;
use entracte_tests::fakes::memory_access::MemoryAccess;
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

async fn open_access() -> Access {
    Access { store: Arc::new(MemoryAccess::default()), keep: Box::new(()) }
}

entracte_tests::store_contracts!(open);
entracte_tests::access_contracts!(open_access);
