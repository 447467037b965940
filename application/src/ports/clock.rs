use async_trait::async_trait;
use entracte_domain::time::{Millis, Timestamp};

/// The source of time. No other part of Entracte reads a clock.
///
/// Contract: it may jump when people set the clock; the runtime never orders events by it.
///
/// ```
/// use async_trait::async_trait;
/// use entracte_application::ports::Clock;
/// use entracte_domain::time::{Millis, Timestamp};
///
/// /// Always noon, as a test needs it.
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
    /// The current time, in whole microseconds.
    fn now(&self) -> Timestamp;

    /// Time since a fixed instant in this process. Setting the clock does not change it, and it never decreases; on
    /// some machines it stops while the machine sleeps.
    fn monotonic(&self) -> Millis;

    /// Returns after `span`, immediately if it is not positive. Used for time-outs and wake-ups only, never to order
    /// events.
    async fn sleep(&self, span: Millis);
}
