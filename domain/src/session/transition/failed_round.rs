//! Rounds that cannot continue: people are informed, the model is not; a chat hands back, a run closes or parks.

use crate::localizable_text::{LocalizableText, sentences};
use crate::message::SystemKind;
use crate::session::round::{self, Round};
use crate::session::{EndReason, JournalNote, ParkReason, Phase, TransitionContext};

/// Gives up the round.
pub(super) fn give_up_round(
    step: &mut TransitionContext<'_>,
    round: &Round,
    kind: SystemKind,
    text: impl Into<LocalizableText>,
) -> Phase {
    step.append_system_text(kind, text);
    if round.closing {
        return round::finish_without_closing_call(step);
    }
    if step.facts.kind.is_run() { step.close_session(EndReason::Error) } else { Phase::Idle }
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
        give_up_round(step, round, SystemKind::ProviderError, text)
    }
}

/// Gives up the round; a run waits for a person who fixes the cause.
pub(super) fn park_run(step: &mut TransitionContext<'_>, round: &Round, text: String) -> Phase {
    if step.facts.kind.is_run() {
        step.append_system_text(SystemKind::ProviderError, text.clone());
        step.record.add_note(JournalNote::SessionParked);
        Phase::Parked(ParkReason::Exhausted(text))
    } else {
        give_up_round(step, round, SystemKind::ProviderError, text)
    }
}
