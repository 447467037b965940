//! Replay of a session's inputs: folds the live run's transition function over the journal.

use crate::session::{Input, Phase, SessionFacts, SessionRules, transition_as_entry};
use crate::time::Timestamp;

/// An input with the time and rules it was applied with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayInput<'a> {
    /// Number of its entry in the workspace log.
    pub seq: u64,
    /// When the input was applied.
    pub now: Timestamp,
    /// The rules in force then.
    pub rules: &'a SessionRules,
    /// The input.
    pub input: Input,
}

/// The state that these inputs lead to, from the session's initial facts. Executes nothing.
pub fn replay<'a>(
    mut facts: SessionFacts,
    inputs: impl IntoIterator<Item = ReplayInput<'a>>,
) -> (SessionFacts, Phase) {
    let mut phase = Phase::Idle;
    for stamped in inputs {
        // Journaled inputs took effect at the time. If one is ignored now, it changes nothing.
        let ReplayInput { seq, now, rules, input } = stamped;
        let _ = transition_as_entry(&mut facts, &mut phase, input, seq, now, rules);
    }
    (facts, phase)
}
