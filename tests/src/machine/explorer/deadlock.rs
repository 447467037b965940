//! The absence of deadlocks.

use entracte_domain::session::{
    Phase, PhaseLabel, SessionKind, deadline_at, desired_effects, may_work, needs_slot,
};

use super::super::{called, show_phase};
use super::explored_state::ExploredState;
use super::{BrokenInvariant, ExplorationConfig};

/// A state that neither rests nor ended has work in progress, a deadline, or something it waits for.
pub(super) fn stuck(exploration: &ExplorationConfig, world: &ExploredState) -> Result<(), BrokenInvariant> {
    let (facts, phase) = (&world.facts, &world.phase);
    if facts.owes_round && phase.label() == PhaseLabel::WaitingCompletionConfirmation {
        return Err(BrokenInvariant::new("no_run_completes_unread", "a task ended meanwhile".to_owned()));
    }
    let rests = match phase {
        Phase::Completed { .. } | Phase::Parked(_) => true,
        Phase::Idle => match facts.kind {
            SessionKind::Chat | SessionKind::Seed => true,
            SessionKind::Automation | SessionKind::Agent => {
                let asks = facts.agent.as_ref().is_some_and(|agent| agent.awaits_answer());
                facts.exchange == 0 || asks
            }
        },
        Phase::WaitingTask => !facts.tasks.is_empty(),
        Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::CompactingContext { .. } => false,
    };
    let works = !desired_effects(facts, phase, world.now).is_empty();
    let wakes = deadline_at(facts, phase, &exploration.rules).is_some();
    let waits_for_slot = needs_slot(facts.kind, phase) && !may_work(facts);
    // The agent works, or waits for a person; in both cases its report will follow.
    let waits_for_agent = called(phase).next().is_some();
    if rests || works || wakes || waits_for_slot || waits_for_agent || phase.waits_for_person() {
        return Ok(());
    }
    Err(BrokenInvariant::new("no_state_is_stuck", show_phase(phase)))
}
