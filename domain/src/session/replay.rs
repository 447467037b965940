//! Replaying a session's inputs: the same function as the live run, folded over the journal.

use crate::session::{Input, Phase, Rules, SessionFacts, transition};
use crate::time::Timestamp;

/// An input with the rules and the time that it was applied with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamped<'a> {
    /// When the input was applied.
    pub now: Timestamp,
    /// The rules then.
    pub rules: &'a Rules,
    /// What happened.
    pub input: Input,
}

/// The state that these inputs lead to, from the facts the session was made with. Executes nothing.
pub fn replay<'a>(
    mut facts: SessionFacts,
    inputs: impl IntoIterator<Item = Stamped<'a>>,
) -> (SessionFacts, Phase) {
    let mut phase = Phase::Idle;
    for stamped in inputs {
        // What was journaled counted then. Should it count for nothing now, it changes nothing.
        let _ = transition(&mut facts, &mut phase, stamped.input, stamped.now, stamped.rules);
    }
    (facts, phase)
}
