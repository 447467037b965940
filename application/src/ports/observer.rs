use std::sync::Arc;

use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::SessionKind;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;

use super::ReplyEnd;
use crate::journal::{JournalEntry, Occurrence};

/// A round of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundTrace<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// The id that the round has in every line of the log and in every process: 32 letters.
    pub trace: &'a str,
}

/// Something that a runtime did, as names, numbers and words of a finite set; nothing that a person, a model or a tool wrote.
/// No part of it decides anything.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum RuntimeObservation<'a> {
    /// A turn was committed.
    Committed {
        /// What it wrote into the log.
        entries: &'a [Arc<JournalEntry>],
        /// The occurrences of automations that it decided.
        occurrences: &'a [Occurrence],
        /// How long the store took.
        took: Millis,
    },
    /// A session works on a round from now on.
    RoundBegan {
        /// The round.
        round: RoundTrace<'a>,
        /// What kind of session it is.
        kind: SessionKind,
        /// It goes on with a round that rested before, or that another process was at.
        resumed: bool,
    },
    /// A session works on a round no more: it came to its end, or waits.
    RoundRested {
        /// The round.
        round: RoundTrace<'a>,
    },
    /// An attempt of a model call came to its end.
    ModelCalled {
        /// The round that it is of.
        round: RoundTrace<'a>,
        /// Name of the provider's entry.
        provider: &'a str,
        /// The model that was asked for; empty: the provider's usual one.
        model: &'a str,
        /// Of an answer, the model that gave it, as far as that was said, and how it ended.
        answer: Option<(Option<&'a str>, ReplyEnd)>,
        /// How it failed; none when it was answered.
        failed: Option<FailureClass>,
        /// How long the first sign of life took; none when there was none.
        first: Option<Millis>,
        /// How long the whole attempt took.
        whole: Millis,
        /// What it used, as far as that is known.
        usage: Option<&'a Usage>,
    },
    /// A call of a command came to its end.
    CallEnded {
        /// The round that the session is at.
        round: RoundTrace<'a>,
        /// The call.
        call: &'a CallId,
        /// Name of the command.
        command: &'a str,
        /// How it ended: `succeeded`, `accepted`, `failed`, `timed_out`, `lost` or `probed`.
        status: &'static str,
        /// How long it took.
        took: Millis,
    },
    /// A notification was tried once.
    Notified {
        /// What came of it: `taken`, `refused` or `gone`.
        outcome: &'static str,
    },
}

/// Keeps count of what a runtime does. It is told after the fact, never waits and never fails.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use entracte_application::ports::{InRound, Observer, Seen};
/// use entracte_domain::id::SessionId;
/// use entracte_domain::time::Millis;
///
/// /// Counts the calls.
/// #[derive(Default)]
/// struct Calls(AtomicU32);
///
/// impl Observer for Calls {
///     fn saw(&self, seen: Seen<'_>) {
///         if let Seen::CallEnded { .. } = seen {
///             self.0.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
///
/// let calls = Calls::default();
/// let session = SessionId::new("ses_1");
/// let (round, call) = (InRound { session: &session, trace: "" }, &session.call(2, 0));
/// calls.saw(Seen::CallEnded { round, call, command: "zones.list", status: "succeeded", took: Millis(3) });
/// assert_eq!(calls.0.load(Ordering::Relaxed), 1);
/// ```
pub trait Observer: Send + Sync {
    /// Takes one thing down.
    fn observe(&self, seen: RuntimeObservation<'_>);
}

/// Keeps no count.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoopObserver;

impl Observer for NoopObserver {
    fn observe(&self, _seen: RuntimeObservation<'_>) {}
}
