//! `ContextCompacted` and `CompactionFailed`: the context was too long and was summed up, or could not be.

use crate::id::Digest;
use crate::message::{SystemKind, SystemMessage};
use crate::session::{Phase, Step, Told};
use crate::speech::sentences;
use crate::usage::Usage;

use super::failed_round::give_up;

pub(super) fn compacted(
    step: &mut Step<'_>,
    phase: Phase,
    summary: String,
    usage: Option<Usage>,
    prefix: Option<(Digest, Vec<Told>)>,
) -> Phase {
    match phase {
        Phase::CompactingContext { round } => {
            match usage {
                Some(usage) => step.facts.usage.add(usage),
                None => step.facts.usage.add_unknown_attempt(),
            }
            if let Some((prefix, told)) = prefix {
                step.facts.prefix = Some(prefix);
                step.facts.told = told;
            }
            // What was shown before is no longer before the model's eyes.
            step.facts.schemas.clear();
            step.new_generation();
            step.system(SystemMessage {
                kind: SystemKind::ContextSummary,
                results: Vec::new(),
                summary: sentences::context_summary(),
                formatted_data: Some(summary.into()),
            });
            Phase::CallingAi(round.again())
        }
        Phase::Idle
        | Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask => phase,
    }
}

pub(super) fn failed(step: &mut Step<'_>, phase: Phase, message: String) -> Phase {
    match phase {
        Phase::CompactingContext { round } => {
            step.facts.usage.add_unknown_attempt();
            let text = sentences::context_too_long(&message);
            give_up(step, &round, SystemKind::ProviderError, text)
        }
        Phase::Idle
        | Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask => phase,
    }
}
