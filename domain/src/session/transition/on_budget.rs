//! `BudgetReached`: the request of an attempt exceeds its token budget and was not sent.

use crate::session::{Phase, SessionLimit, SummaryMethod, SummaryProgress, TransitionContext};

use super::failed_round::end_round_at_limit;

/// The size of a request that exceeds its budget, both in tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct OversizedRequest {
    pub(super) size: u64,
    pub(super) budget: u64,
}

pub(super) fn on(
    step: &mut TransitionContext<'_>,
    phase: Phase,
    request: OversizedRequest,
    method: SummaryMethod,
) -> Phase {
    let Phase::CallingAi(mut round) = phase else { return step.keep_unexpected(phase) };
    if std::mem::replace(&mut round.compacted, true) {
        // There is no closing call, because it would be as large.
        let OversizedRequest { size, budget } = request;
        return end_round_at_limit(step, SessionLimit::Context { size, budget });
    }
    Phase::CompactingContext {
        round: round.next_attempt(),
        summing: SummaryProgress::new(method, Some(request.budget)),
    }
}

/// Files of earlier rounds leave the prompt, and the round calls the model again; a summary may still follow. What was sent
/// before does not begin the next request, so a generation begins.
pub(super) fn drop_files(step: &mut TransitionContext<'_>, phase: Phase) -> Phase {
    let Phase::CallingAi(round) = phase else { return step.keep_unexpected(phase) };
    step.begin_prefix_generation();
    Phase::CallingAi(round.next_attempt())
}
