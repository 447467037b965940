//! What one transition appended and changed beside facts and phase.

use crate::agent::{AgentSpawn, ChildAnswer};
use crate::call::Call;
use crate::session::{JournalNote, LogAppend};
use crate::validation::FourEyesObjection;

/// Collects what a transition appends to the log and changes in the ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransitionRecord {
    /// Messages and notes, in order.
    pub appended: Vec<LogAppend>,
    /// Ledger rows that changed, as they are now; each call once.
    pub calls: Vec<Call>,
    /// Agents that this starts; their sessions are in the same commit.
    pub births: Vec<AgentSpawn>,
    /// Answers to agents at rest; they are handed over in the same commit.
    pub onward: Vec<ChildAnswer>,
    /// Whether a person acted.
    pub is_human_act: bool,
}

/// Why an input changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IgnoreReason {
    /// It belongs to a round, attempt or call that is over.
    Stale,
    /// It was accepted before, with the same content.
    Duplicate,
    /// The first answer counts; this one says something else.
    Conflict,
    /// There is nothing here that it could apply to.
    NotApplicable,
    /// No deadline is due.
    NotDue,
    /// The session has ended.
    Ended,
    /// As many messages wait as may.
    QueueFull,
    /// A seed is never run.
    NeverRun,
    /// Somebody else must approve.
    FourEyes(FourEyesObjection),
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
