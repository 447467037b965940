//! Rounds that cannot continue: people are informed, the model is not; a chat hands back, a run closes or parks.

use crate::agent::AgentEndClass;
use crate::localizable_text::{LocalizableText, sentences};
use crate::message::SystemKind;
use crate::session::round::{self, Round};
use crate::session::{
    EndReason, JournalNote, ParkReason, Phase, SessionLimit, TransitionContext, child_agents,
};

/// Gives up the round. People read `text`; the caller of an agent reads `why` alone.
pub(super) fn give_up_round(
    step: &mut TransitionContext<'_>,
    round: &Round,
    why: AgentEndClass,
    text: impl Into<LocalizableText>,
) -> Phase {
    let is_network = why == AgentEndClass::Unreachable;
    let kind = if is_network { SystemKind::NetworkError } else { SystemKind::ProviderError };
    step.append_system_text(kind, text);
    child_agents::record_end_cause(step, why, why.usual_text());
    if round.closing {
        return round::finish_without_closing_call(step);
    }
    if step.facts.kind.is_run() { step.close_session(EndReason::Error) } else { Phase::Idle }
}

/// Ends a round at a limit that leaves no room for a closing call.
pub(super) fn end_round_at_limit(step: &mut TransitionContext<'_>, limit: SessionLimit) -> Phase {
    round::record_limit(step, limit);
    round::stop_work(step)
}

/// Gives up a round in which too many process starts died; a run rests until a person looks at it.
pub(super) fn quarantine_round(step: &mut TransitionContext<'_>, round: &Round, message: String) -> Phase {
    step.record.add_note(JournalNote::Quarantined);
    let crashes = step.facts.crashes.count;
    let text = LocalizableText::from(message)
        .with_appended(" ")
        .with_appended(sentences::crashed_in_call(u64::from(crashes)));
    if step.facts.kind.is_run() {
        step.append_system_text(SystemKind::ProviderError, text);
        Phase::Parked(ParkReason::Quarantined)
    } else {
        give_up_round(step, round, AgentEndClass::Lost, text)
    }
}

/// Gives up the round; a run waits for a person who fixes the cause, unless its work was over and only the report was left.
pub(super) fn park_run(step: &mut TransitionContext<'_>, round: &Round, text: String) -> Phase {
    if step.facts.kind.is_run() && !round.closing {
        step.append_system_text(SystemKind::ProviderError, text.clone());
        step.record.add_note(JournalNote::SessionParked);
        Phase::Parked(ParkReason::Exhausted(text))
    } else {
        give_up_round(step, round, AgentEndClass::Exhausted, text)
    }
}
