//! `BudgetReached`: the request of an attempt exceeds its token budget and was not sent.

use crate::agent::AgentEndClass;
use crate::message::SystemKind;
use crate::session::limits::SessionLimit;
use crate::session::{
    EndReason, JournalNote, Phase, SummaryMethod, SummaryProgress, TransitionContext, child_agents, limits,
};

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
        return still_too_large(step, request);
    }
    Phase::CompactingContext {
        round: round.next_attempt(),
        summing: SummaryProgress::new(method, Some(request.budget)),
    }
}

/// Ends a round whose request is still too large after a summary. There is no closing call, because it would be as
/// large.
fn still_too_large(step: &mut TransitionContext<'_>, request: OversizedRequest) -> Phase {
    let OversizedRequest { size, budget } = request;
    let limit = SessionLimit::Context { size, budget };
    step.record.add_note(JournalNote::LimitReached(limit.clone()));
    let text = limits::limit_message(limit, step.facts, step.rules);
    child_agents::record_end_cause(step, AgentEndClass::Context, text.clone());
    step.append_system_text(SystemKind::LimitReached, text);
    if step.facts.kind.is_run() { step.close_session(EndReason::LimitReached) } else { Phase::Idle }
}
