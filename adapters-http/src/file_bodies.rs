//! Bounds how many bodies with files of conversations are in memory at the same time: each is much larger than other bodies,
//! and a token of a public page may send as many as it has connections.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::HttpServerLimits;

/// The places of large bodies.
#[derive(Debug)]
pub(crate) struct FileBodies {
    /// `None` without a limit.
    places: Option<Arc<Semaphore>>,
    /// Bodies of at most so many bytes take no place.
    usual: usize,
}

/// The place of a body, held until its request is done.
#[derive(Debug)]
pub(crate) struct FileBodyPermit {
    _held: Option<OwnedSemaphorePermit>,
}

impl FileBodies {
    /// The places of `server.file_bodies`, 0 for no limit, for bodies that are larger than `server.body_max_bytes`.
    pub(crate) fn new(limits: &HttpServerLimits) -> Self {
        let most = limits.file_bodies;
        let places = (most > 0).then(|| Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))));
        Self { places, usual: limits.body }
    }

    /// A place for a body of at most so many bytes; `None` if all are taken. A body that does not say its length may be large.
    pub(crate) fn try_acquire(&self, bytes: Option<u64>) -> Option<FileBodyPermit> {
        let is_large = bytes.is_none_or(|bytes| bytes > self.usual as u64);
        let Some(places) = self.places.as_ref().filter(|_| is_large) else {
            return Some(FileBodyPermit { _held: None });
        };
        let held = places.clone().try_acquire_owned().ok()?;
        Some(FileBodyPermit { _held: Some(held) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies_of_1000_bytes(file_bodies: usize) -> FileBodies {
        FileBodies::new(&HttpServerLimits { file_bodies, body: 1_000, ..HttpServerLimits::default() })
    }

    /// Input: large bodies for two places, small ones, and one of unknown length; expected: small ones need no place, the
    /// third large one gets none until another is done.
    #[test]
    fn large_bodies_have_so_many_places() {
        let bodies = bodies_of_1000_bytes(2);
        let first = bodies.try_acquire(Some(1_001));
        let second = bodies.try_acquire(None);
        assert!(first.is_some() && second.is_some());
        assert!(bodies.try_acquire(Some(1_001)).is_none());
        assert!(bodies.try_acquire(Some(1_000)).is_some());
        drop(first);
        assert!(bodies.try_acquire(Some(1_001)).is_some());
    }

    #[test]
    fn zero_places_are_no_limit() {
        let bodies = bodies_of_1000_bytes(0);
        let held: Vec<_> = (0..100).map(|_| bodies.try_acquire(None)).collect();
        assert!(held.iter().all(Option::is_some));
    }
}
