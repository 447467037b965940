//! From every state a bounded run of good moves leads to an end: the network is back, the model says that it is
//! done, people say yes, time passes and a slot is free. A run ends; a chat comes to rest.

use std::collections::HashSet;

use entracte_domain::agent::MissionStatus;
use entracte_domain::session::{Effect, Phase, PhaseLabel, SessionKind, Slot, may_work};

use super::super::{
    Act, Choice, Outcome, Upwards, called, completed, continued, outcome, reported, show_phase, text,
};
use super::state::Key;
use super::world::World;
use super::{Broken, Exploration, Report};

/// Good moves from any state to its end.
const MOST_MOVES: usize = 60;

/// The states from which the good moves are known to lead to an end.
pub(super) struct Good {
    known: HashSet<Key>,
    exploration: Exploration,
}

impl Good {
    pub(super) fn new(exploration: &Exploration) -> Self {
        Self { known: HashSet::new(), exploration: exploration.clone() }
    }

    /// Follows the good moves from a state.
    pub(super) fn leads_to_an_end(&mut self, exploration: &Exploration, world: &World) -> Result<(), Broken> {
        let mut world = world.clone();
        let mut way = Vec::new();
        let mut unseen = Report::default();
        for _ in 0..MOST_MOVES {
            let key = world.key(&self.exploration.rules);
            if self.known.contains(&key) || is_end(&world) {
                self.known.extend(way);
                return Ok(());
            }
            way.push(key);
            let act = good_move(&world);
            match world.after(exploration, &act, &mut unseen)? {
                Some(next) => world = next,
                None => break,
            }
        }
        Err(Broken::new("every_session_can_come_to_its_end", show_phase(&world.phase)))
    }
}

fn is_end(world: &World) -> bool {
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

fn good_move(world: &World) -> Act {
    if !may_work(&world.facts) {
        return Act::Slot(Slot::Held);
    }
    if let Some(effect) = world.running.first() {
        return good_outcome(world, effect);
    }
    if let Some(call) = called(&world.phase).next() {
        return reported(call, MissionStatus::MissionCompleted);
    }
    match &world.phase {
        Phase::Idle if world.facts.agent.as_ref().is_some_and(|agent| agent.asks()) => continued(),
        Phase::Idle | Phase::Parked(_) => Act::Activate,
        Phase::WaitingValidation { batch, .. } => {
            let open = |at: &usize| batch.undecided().any(|call| call.id == batch.calls[*at].id);
            Act::Decide((0..batch.calls.len()).filter(open).map(|at| (at, Choice::Yes)).collect())
        }
        Phase::WaitingCommunicationResponse { .. } => Act::Answer,
        Phase::WaitingTask => Act::TaskEnds,
        Phase::WaitingNetworkRetry { .. } => Act::NetworkBack,
        Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::CompactingContext { .. } => Act::Wake,
    }
}

fn good_outcome(world: &World, effect: &Effect) -> Act {
    let at = |id: &entracte_domain::id::CallId| {
        let calls = world.phase.batch().map(|batch| batch.calls.as_slice()).unwrap_or_default();
        calls.iter().position(|call| call.id == *id).unwrap_or_default()
    };
    match effect {
        Effect::CallModel { .. } if world.facts.agent.is_some() => text().says(Upwards::Exits).into(),
        Effect::CallModel { .. } => completed().into(),
        Effect::Compact { .. } => Act::Compacted,
        Effect::RunCall { call, .. } | Effect::PlanCall { call } => outcome(at(call), Outcome::Succeeds),
        Effect::AskCall { call, .. } => outcome(at(call), Outcome::Happened),
    }
}
