//! `SpendingRefused`: an attempt may not be paid for, and was not sent. `UsageSettled`: what a lost call used became known.

use crate::agent::AgentEndClass;
use crate::session::round;
use crate::session::{Phase, SessionLimit, TransitionContext};
use crate::spending::SpendingRefusal;
use crate::usage::Usage;

use super::failed_round::{end_round_at_limit, give_up_round, park_run};

pub(super) fn on(step: &mut TransitionContext<'_>, phase: Phase, why: SpendingRefusal) -> Phase {
    let (Phase::CallingAi(round) | Phase::CompactingContext { round, .. }) = phase else {
        return step.keep_unexpected(phase);
    };
    match why {
        SpendingRefusal::Cap(excess) => {
            let after = end_round_at_limit(step, SessionLimit::Spending(excess));
            // The limit at which the closing call was due is told already.
            if round.closing { round::finish_without_closing_call(step) } else { after }
        }
        SpendingRefusal::UnknownPrice { asks: true, message } => park_run(step, &round, message),
        SpendingRefusal::UnknownPrice { asks: false, message } => {
            give_up_round(step, &round, AgentEndClass::Spending, message)
        }
    }
}

/// Counts the usage of a call that was unknown before. It changes nothing else.
pub(super) fn settle(step: &mut TransitionContext<'_>, phase: Phase, usage: Usage) -> Phase {
    let known = &mut step.facts.usage;
    known.unknown_attempts = known.unknown_attempts.saturating_sub(1);
    known.add(usage);
    phase
}
