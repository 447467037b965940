//! `CompactionRequested`, `ContextCompacted` and `CompactionFailed`: a summary was requested, made, or failed.

use crate::agent::AgentEndClass;
use crate::id::Digest;
use crate::localizable_text::sentences;
use crate::message::{SystemKind, SystemMessage};
use crate::session::round;
use crate::session::{
    AlwaysSendSection, ContextSummary, Phase, Round, RoundReason, SummaryFault, SummaryMethod, SummaryPiece,
    SummaryProgress, TransitionContext,
};
use crate::usage::Usage;

use super::failed_round::{give_up_round, quarantine_round};

/// A person requested a summary now. The session rests afterwards as before.
pub(super) fn requested(step: &mut TransitionContext<'_>) -> Phase {
    step.begin_human_exchange();
    round::begin_compaction(step)
}

pub(super) fn compacted(
    step: &mut TransitionContext<'_>,
    phase: Phase,
    summary: ContextSummary,
    usage: Option<Usage>,
    prefix: Option<(Digest, Vec<AlwaysSendSection>)>,
) -> Phase {
    let Phase::CompactingContext { round, .. } = phase else { return step.keep_unexpected(phase) };
    count(step, summary.method, usage);
    if let Some((prefix, told)) = prefix {
        step.facts.prefix = Some(prefix);
        step.facts.told = told;
    }
    // Schemas shown before the summary are no longer in the prompt.
    step.facts.schemas.clear();
    step.begin_prefix_generation();
    step.append_system_message(SystemMessage {
        kind: SystemKind::ContextSummary,
        results: Vec::new(),
        summary: sentences::context_summary(),
        formatted_data: Some(summary.text.into()),
    });
    // A round made only for the summary has no answer to produce.
    if round.reason == RoundReason::Compaction {
        step.finish_round()
    } else {
        Phase::CallingAi(round.next_attempt())
    }
}

pub(super) fn failed(
    step: &mut TransitionContext<'_>,
    phase: Phase,
    message: String,
    fault: SummaryFault,
    usage: Option<Usage>,
) -> Phase {
    let Phase::CompactingContext { round, summing } = phase else { return step.keep_unexpected(phase) };
    count(step, summing.method, usage);
    match fault {
        SummaryFault::Faulty(faults) => retry_summary(round, summing, faults),
        SummaryFault::Unfinished(piece) => next_piece(round, summing, piece),
        SummaryFault::Died(start) if step.is_own_crash(start) => match step.note_crash(start) {
            true => quarantine_round(step, &round, message),
            false => Phase::CompactingContext { round: round.next_attempt(), summing },
        },
        SummaryFault::NoAnswer | SummaryFault::Died(_) => match summing.method {
            SummaryMethod::Patch | SummaryMethod::Words => summarize_without_model(round, summing),
            SummaryMethod::Mechanical => end(step, &round, &message),
        },
        SummaryFault::Final => end(step, &round, &message),
    }
}

/// Retries a faulty summary once, with its faults.
fn retry_summary(round: Round, summing: SummaryProgress, faults: Vec<String>) -> Phase {
    if !summing.faults.is_empty() || faults.is_empty() {
        return summarize_without_model(round, summing);
    }
    Phase::CompactingContext { round: round.next_attempt(), summing: SummaryProgress { faults, ..summing } }
}

/// Reads the next piece. A piece that ends where the last one did would make no progress.
fn next_piece(round: Round, summing: SummaryProgress, piece: Box<SummaryPiece>) -> Phase {
    if piece.read <= summing.piece.as_ref().map_or(0, |before| before.read) {
        return summarize_without_model(round, summing);
    }
    let summing = SummaryProgress { faults: Vec::new(), piece: Some(piece), ..summing };
    Phase::CompactingContext { round: round.next_attempt(), summing }
}

fn summarize_without_model(round: Round, summing: SummaryProgress) -> Phase {
    let summing = SummaryProgress { method: SummaryMethod::Mechanical, faults: Vec::new(), ..summing };
    Phase::CompactingContext { round: round.next_attempt(), summing }
}

fn end(step: &mut TransitionContext<'_>, round: &Round, message: &str) -> Phase {
    give_up_round(step, round, AgentEndClass::Context, sentences::context_too_long(message))
}

/// Counts tokens; a summary without a model uses none.
fn count(step: &mut TransitionContext<'_>, method: SummaryMethod, usage: Option<Usage>) {
    match (usage, method) {
        (Some(usage), _) => step.facts.usage.add(usage),
        (None, SummaryMethod::Patch | SummaryMethod::Words) => step.facts.usage.add_unknown_attempt(),
        (None, SummaryMethod::Mechanical) => {}
    }
}
