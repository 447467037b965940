//! Enforces the limits of a model call, whatever its adapter does.

use std::sync::{Arc, Mutex};

use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use tokio::sync::Notify;

use super::lock::lock;
use crate::ports::{Clock, ModelCallLimits, ProviderFailure, ReplySink};
use crate::texts::{LocalizedTexts, say};

/// Forwards the streamed reply of a model call to its watchers and records when data arrived.
pub(super) struct ModelCallMonitor {
    inner: Arc<dyn ReplySink>,
    clock: Arc<dyn Clock>,
    begun: Millis,
    /// When the first and the last data arrived.
    signs: Mutex<Option<(Millis, Millis)>>,
    /// Notified at the first data, because another limit applies from then on.
    first: Notify,
}

/// The limit that a call exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallLimitBreach {
    /// No data arrived within this time.
    FirstByte(Millis),
    /// The stream was silent for this time.
    Idle(Millis),
    /// The call did not end within this time.
    Whole(Millis),
}

impl ModelCallMonitor {
    /// Monitors a call that begins now.
    pub(super) fn new(inner: Arc<dyn ReplySink>, clock: Arc<dyn Clock>) -> Self {
        Self { begun: clock.monotonic(), inner, clock, signs: Mutex::default(), first: Notify::new() }
    }

    /// Returns when the call has exceeded one of its limits.
    pub(super) async fn wait_for_breach(&self, limits: ModelCallLimits) -> CallLimitBreach {
        loop {
            let Some((end, limit)) = next_breach(self.begun, self.last(), limits) else {
                // Only the first data can change the limit.
                self.first.notified().await;
                continue;
            };
            let left = Millis(end.0.saturating_sub(self.clock.monotonic().0));
            if left.0 <= 0 {
                return limit;
            }
            tokio::select! {
                // A clock may wake this task early, but it must let other tasks run.
                () = self.clock.sleep(left) => tokio::task::yield_now().await,
                () = self.first.notified() => {}
            }
        }
    }

    /// Whether the call has a limit that it has not exceeded yet.
    pub(super) fn has_limit_ahead(&self, limits: ModelCallLimits, now: Millis) -> bool {
        next_breach(self.begun, self.last(), limits).is_some_and(|(end, _)| end.0 > now.0)
    }

    /// How long the first data took; `None` if none has arrived.
    pub(super) fn first_after(&self) -> Option<Millis> {
        lock(&self.signs).map(|(first, _)| Millis(first.0.saturating_sub(self.begun.0)))
    }

    /// Time since the call began.
    pub(super) fn elapsed(&self) -> Millis {
        Millis(self.clock.monotonic().0.saturating_sub(self.begun.0))
    }

    fn last(&self) -> Option<Millis> {
        lock(&self.signs).map(|(_, last)| last)
    }

    fn record_sign_of_life(&self) {
        let now = self.clock.monotonic();
        let mut signs = lock(&self.signs);
        let before = *signs;
        *signs = Some((before.map_or(now, |(first, _)| first), now));
        drop(signs);
        if before.is_none() {
            self.first.notify_one();
        }
    }
}

impl ReplySink for ModelCallMonitor {
    fn text(&self, piece: &str) {
        self.record_sign_of_life();
        self.inner.text(piece);
    }

    fn thinking_text(&self, piece: &str) {
        self.record_sign_of_life();
        self.inner.thinking_text(piece);
    }

    fn keep_alive(&self) {
        self.record_sign_of_life();
        self.inner.keep_alive();
    }
}

/// The limit exceeded next unless data arrives first, and that instant.
fn next_breach(
    begun: Millis,
    last: Option<Millis>,
    limits: ModelCallLimits,
) -> Option<(Millis, CallLimitBreach)> {
    let ModelCallLimits { first_byte, idle, whole } = limits;
    let (from, silence, broken) = match last {
        None => (begun, first_byte, CallLimitBreach::FirstByte(first_byte)),
        Some(last) => (last, idle, CallLimitBreach::Idle(idle)),
    };
    let candidates = [(from, silence, broken), (begun, whole, CallLimitBreach::Whole(whole))];
    // As in all rules, 0 means no limit.
    let set = candidates.into_iter().filter(|(_, span, _)| span.0 > 0);
    set.map(|(from, span, broken)| (Millis(from.0.saturating_add(span.0)), broken))
        .min_by_key(|(end, _)| end.0)
}

impl CallLimitBreach {
    /// The failure of the call, worded for people.
    pub(super) fn into_failure(self, provider: &str, texts: &LocalizedTexts) -> ProviderFailure {
        let (key, setting, span) = match self {
            CallLimitBreach::FirstByte(span) => ("provider-first-byte", "first_byte_timeout_seconds", span),
            CallLimitBreach::Idle(span) => ("provider-idle", "idle_timeout_seconds", span),
            CallLimitBreach::Whole(span) => ("provider-too-slow", "call_timeout_seconds", span),
        };
        let seconds = (span.0.saturating_add(999) / 1000).to_string();
        let message = say!(texts, key, provider = provider, seconds = seconds, setting = setting);
        ProviderFailure { class: FailureClass::Lost, message, retry_after: None, usage: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Language;

    #[test]
    fn earliest_limit_is_breached_and_zero_is_unlimited() {
        let limits = |first_byte, idle, whole| ModelCallLimits {
            first_byte: Millis(first_byte),
            idle: Millis(idle),
            whole: Millis(whole),
        };
        let cases = [
            ((None, limits(5, 3, 60)), Some((105, CallLimitBreach::FirstByte(Millis(5))))),
            ((None, limits(0, 3, 60)), Some((160, CallLimitBreach::Whole(Millis(60))))),
            ((None, limits(0, 3, 0)), None),
            ((Some(Millis(120)), limits(5, 3, 60)), Some((123, CallLimitBreach::Idle(Millis(3))))),
            ((Some(Millis(158)), limits(5, 3, 60)), Some((160, CallLimitBreach::Whole(Millis(60))))),
            ((Some(Millis(158)), limits(5, 0, 0)), None),
        ];
        for ((last, limits), expected) in cases {
            let expected = expected.map(|(end, broken)| (Millis(end), broken));
            assert_eq!(next_breach(Millis(100), last, limits), expected, "{last:?} {limits:?}");
        }
    }

    #[test]
    fn breach_failure_names_limit_and_possible_billing() {
        let cases = [
            (
                CallLimitBreach::FirstByte(Millis(120_000)),
                "sent nothing for 120 s",
                "first_byte_timeout_seconds",
            ),
            (
                CallLimitBreach::Idle(Millis(500)),
                "in the middle of its answer for 1 s",
                "idle_timeout_seconds",
            ),
            (
                CallLimitBreach::Whole(Millis(600_000)),
                "did not finish its answer within 600 s",
                "call_timeout_seconds",
            ),
        ];
        for (broken, what, setting) in cases {
            let failure = broken.into_failure("claude", LocalizedTexts::for_language(Language::En));
            assert_eq!(failure.class, FailureClass::Lost);
            for part in ["“claude”", what, setting, "may have been billed"] {
                assert!(failure.message.contains(part), "{part}: {}", failure.message);
            }
        }
    }
}
