use std::sync::Arc;

use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::SessionKind;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;

use super::ReplyEnd;
use crate::journal::{JournalEntry, Occurrence};

/// Identifies the round of a session in traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundTrace<'a> {
    /// The session of the round.
    pub session: &'a SessionId,
    /// The trace id of the round, the same in every log line and every process: 32 hexadecimal digits.
    pub trace: &'a str,
}

/// A metric event of a runtime: names, numbers and words of finite sets, never text of a person, a model or a tool. It
/// influences no decision.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum RuntimeObservation<'a> {
    /// A workspace turn was committed.
    Committed {
        /// The log entries it wrote.
        entries: &'a [Arc<JournalEntry>],
        /// The occurrences of automations it decided.
        occurrences: &'a [Occurrence],
        /// The duration of the store's commit.
        took: Millis,
    },
    /// A session begins or resumes work on a round.
    RoundBegan {
        /// The round it works on.
        round: RoundTrace<'a>,
        /// The kind of the session.
        kind: SessionKind,
        /// Whether it resumes a round that rested before or was begun by another process.
        resumed: bool,
    },
    /// A session stops working on a round: the round ended, or the session waits.
    RoundRested {
        /// The round it worked on.
        round: RoundTrace<'a>,
    },
    /// An attempt of a model call ended.
    ModelCalled {
        /// The round of the attempt.
        round: RoundTrace<'a>,
        /// The name of the provider's configuration entry.
        provider: &'a str,
        /// The requested model; empty means the provider's default.
        model: &'a str,
        /// For an answered attempt: the model that answered, if reported, and how the reply ended.
        answer: Option<(Option<&'a str>, &'a ReplyEnd)>,
        /// The class of the failure; `None` if it was answered.
        failed: Option<FailureClass>,
        /// The time to the first sign of life; `None` if there was none.
        first: Option<Millis>,
        /// The duration of the whole attempt.
        whole: Millis,
        /// The reported token usage, if any.
        usage: Option<&'a Usage>,
    },
    /// A call of a command ended.
    CallEnded {
        /// The current round of the session.
        round: RoundTrace<'a>,
        /// Unique id of the call.
        call: &'a CallId,
        /// The name of the command.
        command: &'a str,
        /// How it ended: `succeeded`, `accepted`, `failed`, `timed_out`, `lost` or `probed`.
        status: &'static str,
        /// The duration of the call.
        took: Millis,
    },
    /// A delivery of a notification was attempted.
    Notified {
        /// The result: `taken`, `refused` or `gone`.
        outcome: &'static str,
    },
}

/// Records runtime events as metrics. It is notified after the fact, never blocks and never fails.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use entracte_application::ports::{Observer, RoundTrace, RuntimeObservation};
/// use entracte_domain::id::SessionId;
/// use entracte_domain::time::Millis;
///
/// /// Counts the calls.
/// #[derive(Default)]
/// struct Calls(AtomicU32);
///
/// impl Observer for Calls {
///     fn observe(&self, seen: RuntimeObservation<'_>) {
///         if let RuntimeObservation::CallEnded { .. } = seen {
///             self.0.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
///
/// let calls = Calls::default();
/// let session = SessionId::new("ses_1");
/// let (round, call) = (RoundTrace { session: &session, trace: "" }, &session.call_id(2, 0));
/// let ended = RuntimeObservation::CallEnded {
///     round, call, command: "zones.list", status: "succeeded", took: Millis(3),
/// };
/// calls.observe(ended);
/// assert_eq!(calls.0.load(Ordering::Relaxed), 1);
/// ```
pub trait Observer: Send + Sync {
    /// Records one event.
    fn observe(&self, seen: RuntimeObservation<'_>);
}

/// Discards all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoopObserver;

impl Observer for NoopObserver {
    fn observe(&self, _seen: RuntimeObservation<'_>) {}
}
