use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex even if a panicking holder poisoned it: the runtime locks only plain maps.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
