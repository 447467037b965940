//! The real machine, and two that are known to be wrong: an explorer that does not detect them proves nothing.

use entracte_domain::call::CallOutcome;
use entracte_domain::session::{
    IgnoreReason, Input, Phase, SessionFacts, SessionRules, TransitionRecord, transition,
};
use entracte_domain::time::Timestamp;

/// The machine to explore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineVariant {
    /// The real one.
    Real,
    /// The limits are not read after format errors and failed actions, as in the first seed.
    LimitReadOnOnePathOnly,
    /// A restart repeats started attempts instead of finding them lost.
    RerunOnResume,
}

impl MachineVariant {
    /// The step of this machine.
    pub(super) fn transition(
        self,
        facts: &mut SessionFacts,
        phase: &mut Phase,
        input: Input,
        now: Timestamp,
        rules: &SessionRules,
    ) -> Result<TransitionRecord, IgnoreReason> {
        match self {
            MachineVariant::Real | MachineVariant::RerunOnResume => {
                transition(facts, phase, input, now, rules)
            }
            MachineVariant::LimitReadOnOnePathOnly => {
                let before = facts.clone();
                if is_failure(&input) {
                    forget_counters(facts);
                }
                let taken = transition(facts, phase, input, now, rules);
                if taken.is_err() {
                    *facts = before;
                }
                taken
            }
        }
    }
}

fn is_failure(input: &Input) -> bool {
    match input {
        Input::AiResponseReceived(response) => !response.faults.is_empty(),
        Input::CallFinished { outcome: CallOutcome::Failed(_), .. } => true,
        _ => false,
    }
}

fn forget_counters(facts: &mut SessionFacts) {
    let counters = &mut facts.counters;
    counters.rounds_since_human = 0;
    counters.failed_action_rounds = 0;
    counters.format_errors = 0;
    counters.equal_failures = None;
}
