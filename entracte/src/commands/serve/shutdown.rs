//! The shutdown of a server: waits for its work within time limits.

use std::pin::pin;

use entracte_application::ports::Clock;
use entracte_domain::time::Millis;

/// The time limits of a shutdown.
pub(super) struct ShutdownTimeouts<'a> {
    pub(super) clock: &'a dyn Clock,
    /// The limit of the whole shutdown.
    pub(super) grace: Millis,
    /// The part of it for pending notifications.
    pub(super) notifier: Millis,
}

impl ShutdownTimeouts<'_> {
    /// Waits for the notifier, and then for the running work: `leave` gets the remaining time. A second signal,
    /// `again`, ends all waiting. Returns whether all work came to its end.
    pub(super) async fn run<L: Future<Output = bool>>(
        &self,
        notifier: impl Future,
        again: impl Future<Output = ()>,
        leave: impl Fn(Millis) -> L,
    ) -> bool {
        let begun = self.clock.monotonic();
        let mut again = pin!(again);
        let is_cut = tokio::select! {
            biased;
            () = again.as_mut() => true,
            _ended = notifier => false,
            () = self.clock.sleep(self.notifier.min(self.grace)) => false,
        };
        if is_cut {
            return leave(Millis(0)).await;
        }
        let passed = self.clock.monotonic().0.saturating_sub(begun.0);
        let left = Millis(self.grace.0.saturating_sub(passed).max(0));
        tokio::select! {
            biased;
            () = again => leave(Millis(0)).await,
            is_done = leave(left) => is_done,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    /// A clock on which time passes only while something waits, and then immediately.
    #[derive(Default)]
    struct AutoAdvanceClock(AtomicI64);

    #[async_trait::async_trait]
    impl Clock for AutoAdvanceClock {
        fn now(&self) -> entracte_domain::time::Timestamp {
            entracte_domain::time::Timestamp(0)
        }

        fn monotonic(&self) -> Millis {
            Millis(self.0.load(Ordering::Relaxed))
        }

        async fn sleep(&self, span: Millis) {
            self.0.fetch_add(span.0, Ordering::Relaxed);
        }
    }

    /// The times that `leave` was given, in order.
    async fn given(notifier: impl Future, again: impl Future<Output = ()>, hangs: bool) -> Vec<Millis> {
        let clock = AutoAdvanceClock::default();
        let rest =
            ShutdownTimeouts { clock: &clock, grace: Millis::seconds(15), notifier: Millis::seconds(10) };
        let given = Mutex::new(Vec::new());
        let noted = &given;
        let leave = |left: Millis| async move {
            noted.lock().map(|mut noted| noted.push(left)).ok();
            if hangs && left.0 > 0 {
                std::future::pending::<()>().await;
            }
            !hangs
        };
        rest.run(notifier, again, leave).await;
        given.into_inner().unwrap_or_default()
    }

    /// Ready when it is polled for the third time: after the running work has begun to end.
    async fn soon() {
        tokio::task::yield_now().await;
        tokio::task::yield_now().await;
    }

    #[tokio::test]
    async fn running_work_gets_time_left_by_notifier() {
        let never = std::future::pending::<()>;
        assert_eq!(given(async {}, never(), false).await, [Millis::seconds(15)]);
        assert_eq!(
            given(never(), never(), false).await,
            [Millis::seconds(5)],
            "the notifier took all of its own"
        );
    }

    #[tokio::test]
    async fn second_signal_ends_all_waiting() {
        let never = std::future::pending::<()>;
        assert_eq!(given(never(), async {}, false).await, [Millis(0)], "while people are told");
        let while_it_works = given(async {}, soon(), true).await;
        assert_eq!(while_it_works, [Millis::seconds(15), Millis(0)]);
    }
}
