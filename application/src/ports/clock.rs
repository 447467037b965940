use async_trait::async_trait;
use entracte_domain::time::{Millis, Timestamp};

/// Time. Nothing else in Entracte reads a clock.
///
/// Contract: it may jump when people set it; the runtime orders nothing by it.
///
/// ```
/// use async_trait::async_trait;
/// use entracte_application::ports::Clock;
/// use entracte_domain::time::{Millis, Timestamp};
///
/// /// Noon, for ever: what a test needs.
/// struct Noon;
///
/// #[async_trait]
/// impl Clock for Noon {
///     fn now(&self) -> Timestamp {
///         Timestamp(1_795_176_000_000_000)
///     }
///     fn monotonic(&self) -> Millis {
///         Millis(0)
///     }
///     async fn sleep(&self, _: Millis) {}
/// }
///
/// assert_eq!(Noon.now(), Noon.now());
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait Clock: Send + Sync {
    /// Now, in whole microseconds.
    fn now(&self) -> Timestamp;

    /// How long it is since some fixed instant of this process's life. Setting the clock does not change it, and it never
    /// goes back; on some machines it stands still while the machine sleeps.
    fn monotonic(&self) -> Millis;

    /// Returns after `span`; at once when it is not positive. Used for time-outs and wake-ups only, never to
    /// order events.
    async fn sleep(&self, span: Millis);
}
