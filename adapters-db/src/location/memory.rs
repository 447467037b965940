//! Databases in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The number of the next one.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A SQLite database in memory. Each new one is empty; clones name the same one. Its content lives as long as a store
/// that opened it.
#[derive(Clone, Debug)]
pub struct MemoryDatabase {
    number: u64,
    is_owned: Arc<AtomicBool>,
}

impl MemoryDatabase {
    /// A new database, which no other code of this process can name.
    pub fn new() -> Self {
        Self { number: NEXT.fetch_add(1, Ordering::Relaxed), is_owned: Arc::default() }
    }

    /// The name under which the connections of this process share it. Another copy of this crate in the process, such as one
    /// of another version, counts on its own but may share the SQLite: the place of the count tells them apart.
    pub(crate) fn name(&self) -> String {
        format!("entracte-{:p}-{}", &NEXT, self.number)
    }

    /// Whether a part of this process holds its lock.
    pub(crate) fn is_owned(&self) -> bool {
        self.is_owned.load(Ordering::SeqCst)
    }

    /// Takes its lock until the result is dropped; `None` if it is held.
    pub(crate) fn try_own(&self) -> Option<MemoryDatabaseLock> {
        match self.is_owned.swap(true, Ordering::SeqCst) {
            true => None,
            false => Some(MemoryDatabaseLock(Arc::clone(&self.is_owned))),
        }
    }
}

impl Default for MemoryDatabase {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialEq for MemoryDatabase {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for MemoryDatabase {}

/// The held lock of a database in memory; released when dropped.
#[derive(Debug)]
pub(crate) struct MemoryDatabaseLock(Arc<AtomicBool>);

impl Drop for MemoryDatabaseLock {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}
