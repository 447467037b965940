//! Waits for a place to read a document.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use entracte_domain::id::WorkspaceKey;
use tokio::sync::oneshot;

use super::reading_queue::{QueueEntry, ReadingQueue, ReadingQueueLimits};

/// A waiting document, which gets its place through this channel.
type Waiter = oneshot::Sender<ReadingPlace>;

/// A limited number of places to read documents, and a limited queue before them.
#[derive(Clone)]
pub(super) struct ReadingPlaces(Arc<Mutex<ReadingQueue<Waiter>>>);

/// The queue is full.
#[derive(Debug)]
pub(super) struct QueueFull;

/// A place; dropping it gives it to the next document.
pub(super) struct ReadingPlace {
    places: ReadingPlaces,
    workspace: WorkspaceKey,
}

impl ReadingPlaces {
    pub(super) fn new(limits: ReadingQueueLimits) -> Self {
        Self(Arc::new(Mutex::new(ReadingQueue::new(limits))))
    }

    /// Waits for a place. Dropping the future leaves the queue.
    pub(super) async fn acquire(&self, workspace: &WorkspaceKey) -> Result<ReadingPlace, QueueFull> {
        let (waiter, turn) = oneshot::channel();
        let entry = {
            let mut queue = self.lock();
            queue.retain_waiting(|waiter| !waiter.is_closed());
            queue.enter(workspace, waiter)
        };
        match entry {
            QueueEntry::Begins(_) => Ok(self.place(workspace.clone())),
            QueueEntry::Refused(_) => Err(QueueFull),
            QueueEntry::Waits => turn.await.map_err(|_| QueueFull),
            QueueEntry::Displaces(displaced) => {
                // Without its sender the displaced one ends with `QueueFull`.
                drop(displaced);
                turn.await.map_err(|_| QueueFull)
            }
        }
    }

    fn place(&self, workspace: WorkspaceKey) -> ReadingPlace {
        ReadingPlace { places: self.clone(), workspace }
    }

    fn lock(&self) -> MutexGuard<'_, ReadingQueue<Waiter>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ReadingPlace {
    fn drop(&mut self) {
        let next = {
            let mut queue = self.places.lock();
            queue.retain_waiting(|waiter| !waiter.is_closed());
            queue.end(&self.workspace)
        };
        if let Some((workspace, waiter)) = next {
            // If the waiter has gone meanwhile, dropping its place begins the next one.
            drop(waiter.send(self.places.place(workspace)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: one place, a waiting document whose request was cancelled, and one more; expected: the place goes to the
    /// latter as soon as it is free, and a full queue refuses.
    #[tokio::test]
    async fn cancelled_waiter_passes_its_turn() {
        let places = ReadingPlaces::new(ReadingQueueLimits { places: 1, waiting: 1 });
        let (ann, bob) = (WorkspaceKey::new("ann"), WorkspaceKey::new("bob"));
        let held = places.acquire(&ann).await.expect("it is free");
        let mut cancelled = Box::pin(places.acquire(&ann));
        assert!(poll_once(&mut cancelled).await.is_none(), "it waits");
        assert!(places.acquire(&ann).await.is_err(), "the queue is full");
        drop(cancelled);
        let mut waiting = Box::pin(places.acquire(&bob));
        assert!(poll_once(&mut waiting).await.is_none(), "it waits");
        drop(held);
        assert_eq!(waiting.await.expect("it has its turn").workspace, bob);
    }

    /// Input: a full queue of one workspace, and a document of another; expected: the newest waiting one is refused at
    /// once, not when the other has its turn.
    #[tokio::test]
    async fn displaced_waiter_is_refused_at_once() {
        let places = ReadingPlaces::new(ReadingQueueLimits { places: 1, waiting: 2 });
        let (ann, bob) = (WorkspaceKey::new("ann"), WorkspaceKey::new("bob"));
        let _held = places.acquire(&ann).await.expect("it is free");
        let mut first = Box::pin(places.acquire(&ann));
        let mut second = Box::pin(places.acquire(&ann));
        assert!(poll_once(&mut first).await.is_none() && poll_once(&mut second).await.is_none());
        let mut other = Box::pin(places.acquire(&bob));
        assert!(poll_once(&mut other).await.is_none());
        assert!(matches!(poll_once(&mut second).await, Some(Err(QueueFull))), "it is displaced");
        assert!(poll_once(&mut first).await.is_none());
    }

    /// The result of a future that is ready; `None` if it waits.
    async fn poll_once<T>(future: &mut (impl Future<Output = T> + Unpin)) -> Option<T> {
        tokio::select! {
            biased;
            done = future => Some(done),
            () = std::future::ready(()) => None,
        }
    }
}
