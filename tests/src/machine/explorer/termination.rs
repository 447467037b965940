//! From every state a bounded path of cooperative moves leads to an end: the network is back, the model reports
//! completion, people approve, time passes and a slot is free. A run ends; a chat comes to rest.

use std::collections::HashSet;

use entracte_domain::agent::MissionStatus;
use entracte_domain::session::{Effect, Phase, PhaseLabel, SessionKind, Slot, may_work};
use entracte_domain::validation::PolicyDecision;

use super::super::{
    ActApprovalChoice, ActCallOutcome, AgentReplyKind, MachineAct, called, completed, mission_continued_act,
    outcome, policy_answers, reported, show_phase, text,
};
use super::explored_state::ExploredState;
use super::state::StateHash;
use super::{BrokenInvariant, ExplorationConfig, ExplorationReport};

/// Maximum number of cooperative moves from any state to its end.
const MOST_MOVES: usize = 60;

/// The states from which the cooperative moves are known to lead to an end.
pub(super) struct TerminationSearch {
    known: HashSet<StateHash>,
    exploration: ExplorationConfig,
}

impl TerminationSearch {
    pub(super) fn new(exploration: &ExplorationConfig) -> Self {
        Self { known: HashSet::new(), exploration: exploration.clone() }
    }

    /// Follows the cooperative moves from a state.
    pub(super) fn check_termination(
        &mut self,
        exploration: &ExplorationConfig,
        world: &ExploredState,
    ) -> Result<(), BrokenInvariant> {
        let mut world = world.clone();
        let mut way = Vec::new();
        let mut unseen = ExplorationReport::default();
        for _ in 0..MOST_MOVES {
            let key = world.key(&self.exploration.rules);
            if self.known.contains(&key) || is_end(&world) {
                self.known.extend(way);
                return Ok(());
            }
            way.push(key);
            let act = good_move(&world);
            match world.state_after(exploration, &act, &mut unseen)? {
                Some(next) => world = next,
                None => break,
            }
        }
        Err(BrokenInvariant::new("every_session_can_come_to_its_end", show_phase(&world.phase)))
    }
}

fn is_end(world: &ExploredState) -> bool {
    match world.facts.kind {
        SessionKind::Chat => {
            world.phase.label() == PhaseLabel::Completed
                || world.phase.label() == PhaseLabel::Idle && world.facts.queue.is_empty()
        }
        SessionKind::Seed => true,
        SessionKind::Automation | SessionKind::Agent => {
            world.phase.label() == PhaseLabel::Completed || world.facts.exchange == 0
        }
    }
}

fn good_move(world: &ExploredState) -> MachineAct {
    if !may_work(&world.facts) {
        return MachineAct::Slot(Slot::Held);
    }
    if let Some(effect) = world.running.first() {
        return good_outcome(world, effect);
    }
    if let Some(call) = called(&world.phase).next() {
        return reported(call, MissionStatus::MissionCompleted);
    }
    match &world.phase {
        Phase::Idle if world.facts.agent.as_ref().is_some_and(|agent| agent.awaits_answer()) => {
            mission_continued_act()
        }
        Phase::Idle | Phase::Parked(_) => MachineAct::Activate,
        // A decision would be late: the deadline counts first.
        Phase::WaitingValidation { expires, .. } if expires.is_due(world.now) => MachineAct::Wake,
        Phase::WaitingValidation { batch, .. } => {
            let open = |at: &usize| batch.undecided().any(|call| call.id == batch.calls[*at].id);
            MachineAct::Decide(
                (0..batch.calls.len()).filter(open).map(|at| (at, ActApprovalChoice::Yes)).collect(),
            )
        }
        Phase::WaitingCommunicationResponse { .. } => MachineAct::Answer,
        Phase::WaitingTask => MachineAct::TaskEnds,
        Phase::WaitingNetworkRetry { .. } => MachineAct::NetworkBack,
        Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::CompactingContext { .. } => MachineAct::Wake,
    }
}

fn good_outcome(world: &ExploredState, effect: &Effect) -> MachineAct {
    let at = |id: &entracte_domain::id::CallId| {
        let calls = world.phase.batch().map(|batch| batch.calls.as_slice()).unwrap_or_default();
        calls.iter().position(|call| call.id == *id).unwrap_or_default()
    };
    match effect {
        Effect::CallModel { .. } if world.facts.agent.is_some() => {
            text().with_agent_reply(AgentReplyKind::Exits).into()
        }
        Effect::CallModel { .. } => completed().into(),
        Effect::Compact { .. } => MachineAct::Compacted,
        Effect::RunCall { call, .. } | Effect::PlanCall { call } => {
            outcome(at(call), ActCallOutcome::Succeeds)
        }
        Effect::AskCall { call, .. } => outcome(at(call), ActCallOutcome::Happened),
        Effect::AskPolicy { call, .. } => policy_answers(at(call), PolicyDecision::Allow),
    }
}
