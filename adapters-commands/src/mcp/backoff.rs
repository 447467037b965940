//! Backoff between starts of a failing server. Pure; callers pass the time.

use entracte_domain::time::{Deadline, Millis, Timestamp};

/// The failed starts of one server, and the end of the current wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ServerStartBackoff {
    min: Millis,
    max: Millis,
    failures: u32,
    until: Option<Deadline>,
}

impl ServerStartBackoff {
    /// Waits `min_seconds` after the first failure, doubled after each further one, at most `max_seconds`.
    pub(super) fn new(min_seconds: u64, max_seconds: u64) -> Self {
        let millis =
            |seconds: u64| Millis::seconds(i64::try_from(seconds).unwrap_or(SECONDS_MAX).min(SECONDS_MAX));
        Self { min: millis(min_seconds), max: millis(max_seconds), failures: 0, until: None }
    }

    /// The remaining wait; `None` if the server may start.
    pub(super) fn remaining_wait(&self, now: Timestamp) -> Option<Millis> {
        let until = self.until.filter(|until| !until.has_lapsed(now))?;
        Some(until.due_at.since(now))
    }

    /// Records a failed start, or the end of a server that had served no call. Without `now` the next start does not
    /// wait.
    pub(super) fn record_failure(&mut self, now: Option<Timestamp>) {
        let doubled =
            self.min.0.saturating_mul(1_i64.checked_shl(self.failures.min(DOUBLINGS_MAX)).unwrap_or(1));
        self.failures = self.failures.saturating_add(1);
        self.until = now.map(|now| Deadline::after(now, Millis(doubled.min(self.max.0))));
    }

    /// Records that the server has served a call.
    pub(super) fn reset(&mut self) {
        self.failures = 0;
        self.until = None;
    }
}

/// The upper bound of a wait.
const SECONDS_MAX: i64 = 24 * 60 * 60;
/// The largest exponent; more doublings exceed any maximum.
const DOUBLINGS_MAX: u32 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_to_maximum_and_resets_after_success() {
        let mut backoff = ServerStartBackoff::new(1, 60);
        let now = Timestamp(0);
        let waits: Vec<i64> = (0..8)
            .map(|_| {
                backoff.record_failure(Some(now));
                backoff.remaining_wait(now).unwrap().0 / 1000
            })
            .collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(backoff.remaining_wait(now.plus(Millis::seconds(60))), None);
        backoff.reset();
        assert_eq!(backoff.remaining_wait(now), None);
        backoff.record_failure(Some(now));
        assert_eq!(backoff.remaining_wait(now), Some(Millis::seconds(1)));
        // A clock that was set back must not make the server wait for ever.
        assert_eq!(backoff.remaining_wait(Timestamp(-2_000_000)), None);
    }
}
