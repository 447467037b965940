use entracte_domain::time::{Millis, Timestamp};

use crate::ports::Clock;

/// Delay before a failed operation is retried.
pub(super) const AGAIN: Millis = Millis::seconds(1);

/// An instant on both clocks of a machine. The wall clock may be set back or forward; the monotonic clock may
/// stop while the machine sleeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DualClockInstant {
    wall: Timestamp,
    monotonic: Millis,
}

impl DualClockInstant {
    /// The current instant.
    pub fn now(clock: &dyn Clock) -> Self {
        Self { wall: clock.now(), monotonic: clock.monotonic() }
    }

    /// Time since this instant, by the clock that says more: a caller that must not be late never gets too short a
    /// time.
    pub fn age(&self, clock: &dyn Clock) -> Millis {
        let passed = Millis(clock.monotonic().0.saturating_sub(self.monotonic.0));
        clock.now().since(self.wall).max(passed)
    }

    /// How much further the wall clock went on since this instant than the monotonic one: it was set forward, or the
    /// machine slept. 0 if it did not.
    pub fn jump(&self, clock: &dyn Clock) -> Millis {
        let passed = clock.monotonic().0.saturating_sub(self.monotonic.0);
        Millis(clock.now().since(self.wall).0.saturating_sub(passed).max(0))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;

    use super::*;

    /// Both clocks, set by a test.
    struct ManualDualClock(Mutex<(Timestamp, Millis)>);

    #[async_trait]
    impl Clock for ManualDualClock {
        fn now(&self) -> Timestamp {
            self.0.lock().unwrap().0
        }

        fn monotonic(&self) -> Millis {
            self.0.lock().unwrap().1
        }

        async fn sleep(&self, _: Millis) {}
    }

    #[test]
    fn age_uses_the_clock_that_advanced_more() {
        let then = (Timestamp(5_000_000), Millis(1_000));
        let cases = [
            ("both", 7_000_000, 3_000, 2_000, 0),
            ("the machine slept, and one clock with it", 65_000_000, 1_100, 60_000, 59_900),
            ("the clock was set back", 1_000_000, 4_000, 3_000, 0),
            ("at once", 5_000_000, 1_000, 0, 0),
        ];
        for (what, wall, monotonic, expected, jump) in cases {
            let clock = ManualDualClock(Mutex::new(then));
            let moment = DualClockInstant::now(&clock);
            *clock.0.lock().unwrap() = (Timestamp(wall), Millis(monotonic));
            assert_eq!(moment.age(&clock), Millis(expected), "{what}");
            assert_eq!(moment.jump(&clock), Millis(jump), "{what}");
        }
    }
}
