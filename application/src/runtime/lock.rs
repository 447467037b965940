use std::sync::{Mutex, MutexGuard, PoisonError};

/// A lock that a panicking holder left is taken all the same: what the runtime locks are plain maps.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
