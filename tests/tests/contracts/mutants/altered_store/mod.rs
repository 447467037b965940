//! The memory store with one deviation: what it is told, what it finds, or how it behaves is changed in one place. A
//! mutant is a line of [`written_mutants`] or [`method_mutants`], not a store of its own.

mod commits;
pub(crate) mod deviation;
pub(crate) mod method_mutants;
mod reads;
pub(crate) mod written_mutants;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::contracts::rows::{HOME, key};
use entracte_tests::fakes::memory_store::MemoryStore;

use deviation::StoreDeviation as Deviation;

/// The store.
pub(crate) struct AlteredStore {
    memory: Arc<MemoryStore>,
    deviation: Deviation,
    /// The places that calls have taken, of a store that has one.
    places: AtomicUsize,
}

/// The ports of a new, empty store.
pub(crate) fn stores(deviation: Deviation) -> StoreFixture {
    let store = Arc::new(AlteredStore {
        memory: Arc::new(MemoryStore::new()),
        deviation,
        places: AtomicUsize::new(0),
    });
    StoreFixture {
        store: store.clone(),
        log: store.clone(),
        resources: store.clone(),
        mail: store.clone(),
        automations: store.clone(),
        tasks: store.clone(),
        ownership: store,
        keep: Box::new(()),
    }
}

impl AlteredStore {
    /// What happens before a method does anything.
    async fn begin(&self) {
        match self.deviation {
            Deviation::Hangs => std::future::pending().await,
            Deviation::Blocks(span) => std::thread::sleep(span),
            Deviation::KeepsPlacesOfDropped => {
                let taken = self.places.fetch_add(1, Ordering::SeqCst);
                assert_eq!(taken, 0, "there is no place left");
                tokio::task::yield_now().await;
                self.places.fetch_sub(1, Ordering::SeqCst);
            }
            _ => {}
        }
    }

    /// The workspace that a method looks into.
    fn place(&self, method: &str, asked: &WorkspaceKey) -> WorkspaceKey {
        match self.deviation {
            Deviation::WithoutWalls(of) if of == method => key(HOME),
            _ => asked.clone(),
        }
    }

    /// How many rows a method finds at most.
    fn limit(&self, method: &str, asked: u32) -> u32 {
        match self.deviation {
            Deviation::Unlimited(of) if of == method => u32::MAX,
            _ => asked,
        }
    }

    /// The number after which a method finds rows.
    fn after(&self, method: &str, asked: u64) -> u64 {
        match self.deviation {
            Deviation::Inclusive(of) if of == method => asked.saturating_sub(1),
            _ => asked,
        }
    }

    /// The number or instant before which a method finds rows.
    fn before<T>(&self, method: &str, asked: Option<T>, next: impl FnOnce(T) -> T) -> Option<T> {
        match self.deviation {
            Deviation::Inclusive(of) if of == method => asked.map(next),
            _ => asked,
        }
    }

    /// The time that a method compares with.
    fn now(&self, method: &str, asked: Timestamp) -> Timestamp {
        match self.deviation {
            Deviation::Late(of) if of == method => Timestamp(asked.0 - 1),
            _ => asked,
        }
    }

    /// What a method finds.
    fn found<T: Default>(&self, method: &str, value: T) -> T {
        match self.deviation {
            Deviation::Blind(of) if of == method => T::default(),
            _ => value,
        }
    }

    /// The list that a method finds.
    fn list<T: Clone>(&self, method: &str, mut rows: Vec<T>) -> Vec<T> {
        match self.deviation {
            Deviation::Reversed(of) if of == method => rows.reverse(),
            Deviation::Doubled(of) if of == method => rows = rows.iter().chain(&rows).cloned().collect(),
            _ => {}
        }
        self.found(method, rows)
    }

    /// The list that a method finds, which is ordered by these numbers; the highest first if `is_latest_first`.
    fn ordered<T: Clone>(
        &self,
        method: &str,
        mut rows: Vec<T>,
        number: impl Fn(&T) -> String,
        is_latest_first: bool,
    ) -> Vec<T> {
        if matches!(self.deviation, Deviation::SortsAsText(of) if of == method) {
            rows.sort_by_key(number);
            if is_latest_first {
                rows.reverse();
            }
        }
        self.list(method, rows)
    }

    /// Whether a method does nothing and says that it did.
    fn ignores(&self, method: &str) -> bool {
        matches!(self.deviation, Deviation::Ignores(of) if of == method)
    }
}
