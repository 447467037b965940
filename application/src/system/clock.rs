use std::sync::LazyLock;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use entracte_domain::time::{Millis, Timestamp};

use crate::ports::Clock;

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
    fn now(&self) -> Timestamp {
        Timestamp(jiff::Timestamp::now().as_microsecond())
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
    fn monotonic(&self) -> Millis {
        static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
        Millis(i64::try_from(BEGUN.elapsed().as_millis()).unwrap_or(i64::MAX))
    }

    async fn sleep(&self, span: Millis) {
        let span = u64::try_from(span.0).unwrap_or(0);
        if span > 0 {
            tokio::time::sleep(Duration::from_millis(span)).await;
        }
    }
}
