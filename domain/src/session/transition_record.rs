//! The output of one transition beside facts and phase.

use crate::agent::{AgentSpawn, ChildAnswer};
use crate::call::Call;
use crate::session::{JournalNote, LogAppend};
use crate::validation::ApproverObjection;

/// Collects the log entries and ledger changes of a transition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransitionRecord {
    /// Appended messages and notes, in order.
    pub appended: Vec<LogAppend>,
    /// Current state of changed ledger rows; each call once.
    pub calls: Vec<Call>,
    /// Agents that the transition starts; the same commit creates their sessions.
    pub births: Vec<AgentSpawn>,
    /// Answers to resting agents; the same commit delivers them.
    pub onward: Vec<ChildAnswer>,
    /// True if the input was a human act.
    pub is_human_act: bool,
}

/// Why an input was ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IgnoreReason {
    /// It belongs to a round, attempt or call that is finished.
    Stale,
    /// It was already accepted with the same content.
    Duplicate,
    /// It contradicts the first answer, which counts.
    Conflict,
    /// It does not apply to the current state.
    NotApplicable,
    /// No deadline is due.
    NotDue,
    /// The session has ended.
    Ended,
    /// The maximum number of messages is queued.
    QueueFull,
    /// A seed is never run.
    NeverRun,
    /// Another person must approve.
    FourEyes(ApproverObjection),
}

impl TransitionRecord {
    pub(crate) fn add_note(&mut self, note: JournalNote) {
        self.appended.push(LogAppend::Note(note));
    }

    pub(crate) fn record_call(&mut self, call: &Call) {
        match self.calls.iter_mut().find(|known| known.id == call.id) {
            Some(known) => *known = call.clone(),
            None => self.calls.push(call.clone()),
        }
    }

    pub(crate) fn messages_so_far(&self) -> usize {
        self.appended
            .iter()
            .filter(|entry| match entry {
                LogAppend::Message(_) => true,
                LogAppend::Note(_) => false,
            })
            .count()
    }
}
