//! The questions to the policy hook that wait for their turn.

use std::sync::{Arc, OnceLock};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bounds how many questions a policy hook answers at once, in all workspaces of a process. Further ones wait in the order in
/// which they came, without a time limit: that of an answer begins when the question is asked.
#[derive(Default)]
pub struct PolicyHookQueue(OnceLock<Arc<Semaphore>>);

impl PolicyHookQueue {
    /// Waits for the turn of a question, which ends when the permit is dropped; `None` if there is no limit, which is 0. The
    /// first limit that is given counts.
    pub(super) async fn acquire(&self, at_once: usize) -> Option<OwnedSemaphorePermit> {
        if at_once == 0 {
            return None;
        }
        let limit = at_once.min(Semaphore::MAX_PERMITS);
        let turns = self.0.get_or_init(|| Arc::new(Semaphore::new(limit))).clone();
        if turns.available_permits() == 0 {
            tracing::debug!(at_once, "a question to the policy hook waits for its turn");
        }
        turns.acquire_owned().await.ok()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    /// Input: three questions to a hook that answers one at once; expected: each waits for the one before it, and without a
    /// limit none does.
    #[tokio::test]
    async fn questions_wait_in_order() {
        let queue = PolicyHookQueue::default();
        let first = queue.acquire(1).now_or_never().expect("it is free");
        let (mut second, mut third) = (Box::pin(queue.acquire(1)), Box::pin(queue.acquire(1)));
        assert!(second.as_mut().now_or_never().is_none());
        assert!(third.as_mut().now_or_never().is_none());
        drop(first);
        assert!(third.as_mut().now_or_never().is_none(), "the second came before it");
        let held = second.await;
        assert!(held.is_some());
        drop(held);
        assert!(third.now_or_never().is_some());
        assert!(queue.acquire(0).now_or_never().is_some_and(|permit| permit.is_none()));
    }
}
