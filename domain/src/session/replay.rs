//! Replaying a session's inputs: the same function as the live run, folded over the journal.

use crate::session::{Input, Phase, SessionFacts, SessionRules, transition_as_entry};
use crate::time::Timestamp;

/// An input with the rules and the time that it was applied with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayInput<'a> {
    /// Number of its entry in the log of the workspace.
    pub seq: u64,
    /// When the input was applied.
    pub now: Timestamp,
    /// The rules then.
    pub rules: &'a SessionRules,
    /// What happened.
    pub input: Input,
}

/// The state that these inputs lead to, from the facts the session was made with. Executes nothing.
pub fn replay<'a>(
    mut facts: SessionFacts,
    inputs: impl IntoIterator<Item = ReplayInput<'a>>,
) -> (SessionFacts, Phase) {
    let mut phase = Phase::Idle;
    for stamped in inputs {
        // What was journaled counted then. Should it count for nothing now, it changes nothing.
        let at = (stamped.seq, stamped.now);
        let _ = transition_as_entry(&mut facts, &mut phase, stamped.input, at, stamped.rules);
    }
    (facts, phase)
}
