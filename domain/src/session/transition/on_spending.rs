//! `SpendingRefused`: an attempt may not be paid for, and was not sent. `SpendingAnswered`: a person lets it go on, or not.
//! `UsageSettled`: what a lost call used became known.

use crate::agent::AgentEndClass;
use crate::message::SystemKind;
use crate::session::round::{self, RoundReason};
use crate::session::{JournalNote, ParkReason, Phase, SessionLimit, TransitionContext};
use crate::spending::{SpendingAnswer, SpendingQuestion, SpendingRefusal};
use crate::usage::Usage;

use super::failed_round::{end_round_at_limit, give_up_round, park_run};

pub(super) fn on(step: &mut TransitionContext<'_>, phase: Phase, why: SpendingRefusal) -> Phase {
    let (Phase::CallingAi(round) | Phase::CompactingContext { round, .. }) = phase else {
        return step.keep_unexpected(phase);
    };
    match why {
        SpendingRefusal::Cap(excess) => {
            let limit = SessionLimit::Spending(excess);
            if round.closing {
                // The reserve of the cap does not pay for the closing call either.
                round::record_limit(step, limit);
                return round::finish_without_closing_call(step);
            }
            if round.reason == RoundReason::Compaction {
                // Nothing was being done that could be reported.
                return end_round_at_limit(step, limit);
            }
            round::stop_at_limit(step, limit)
        }
        SpendingRefusal::SoftLine(question) => ask(step, question),
        SpendingRefusal::UnknownPrice { asks: true, message } => park_run(step, &round, message),
        SpendingRefusal::UnknownPrice { asks: false, message } => {
            give_up_round(step, &round, AgentEndClass::Spending, message)
        }
    }
}

/// Rests until a person answers. No model reads the question.
fn ask(step: &mut TransitionContext<'_>, question: SpendingQuestion) -> Phase {
    // The round called no model, and the answer begins another one.
    let rounds = &mut step.facts.counters.rounds_since_human;
    *rounds = rounds.saturating_sub(1);
    step.append_system_text(SystemKind::SpendingQuestion, question.text());
    step.record.add_note(JournalNote::SessionParked);
    Phase::Parked(ParkReason::Spending(question))
}

/// Goes on with the work, or stops as at the cap.
pub(super) fn answered(step: &mut TransitionContext<'_>, phase: Phase, answer: SpendingAnswer) -> Phase {
    let Phase::Parked(ParkReason::Spending(question)) = phase else { return step.keep_unexpected(phase) };
    step.begin_human_exchange();
    match answer {
        SpendingAnswer::Continue(_) => round::begin_round(step, RoundReason::Resume),
        SpendingAnswer::Stop => end_round_at_limit(step, SessionLimit::Spending(question.excess)),
    }
}

/// Counts the usage of a call that was unknown before. It changes nothing else.
pub(super) fn settle(step: &mut TransitionContext<'_>, phase: Phase, usage: Usage) -> Phase {
    let known = &mut step.facts.usage;
    known.unknown_attempts = known.unknown_attempts.saturating_sub(1);
    known.add(usage);
    phase
}
