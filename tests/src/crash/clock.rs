//! The clock of a child process: it is accelerated and can be set forward.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::ports::Clock;
use entracte_domain::time::{Millis, Timestamp};
use tokio::time::Instant;

/// Acceleration factor.
pub(super) const PACE: i64 = 100;

/// Starts at a given instant and runs a hundred times as fast as real time.
pub(super) struct AcceleratedClock {
    begun: Instant,
    base: AtomicI64,
}

impl AcceleratedClock {
    /// Creates a clock that shows this time now.
    pub(super) fn at(now: Timestamp) -> Self {
        Self { begun: Instant::now(), base: AtomicI64::new(now.0) }
    }

    /// Sets the clock to this time, unless it is later already.
    pub(super) fn forward(&self, to: Timestamp) {
        self.base.fetch_add((to.0 - self.now().0).max(0), Ordering::SeqCst);
    }
}

#[async_trait]
impl Clock for AcceleratedClock {
    fn now(&self) -> Timestamp {
        let passed = i64::try_from(self.begun.elapsed().as_micros()).unwrap_or(i64::MAX / PACE);
        Timestamp(self.base.load(Ordering::SeqCst) + passed * PACE)
    }

    fn monotonic(&self) -> Millis {
        let passed = i64::try_from(self.begun.elapsed().as_millis()).unwrap_or(i64::MAX / PACE);
        Millis(passed * PACE)
    }

    async fn sleep(&self, span: Millis) {
        tokio::time::sleep(Duration::from_micros((span.0.max(0) * 1000 / PACE).unsigned_abs())).await;
    }
}
