//! Explores all interleavings of a small agent tree up to a maximum depth: no order of model, people and time events
//! leaves a session waiting for nothing, gives an agent more rights than its caller, or gives a tree a second slot.

use std::collections::HashSet;

use crate::call::CallState;
use crate::session::{Effect, Input, Phase, SessionKind, Slot, desired_effects, session_rights};
use crate::time::Millis;

use super::agent_tree_fixture::{
    AgentTreeFixture, ROOT, action, agent, answer, asks, chat, declared, exits, run, stop,
};

/// A possible event of one session.
#[derive(Clone, Copy, Debug)]
enum ExplorationMove {
    Exits,
    SaysWords,
    AsksUser,
    CallsAgent,
    CallsTwo,
    Acts,
    ActsGuarded,
    AnswersChild,
    ActionEnds,
    Approve,
    AnswerUser,
    Stop,
    Interrupt,
    Resume,
    QuarterOfAnHour,
}

const MOVES: [ExplorationMove; 15] = [
    ExplorationMove::Exits,
    ExplorationMove::SaysWords,
    ExplorationMove::AsksUser,
    ExplorationMove::CallsAgent,
    ExplorationMove::CallsTwo,
    ExplorationMove::Acts,
    ExplorationMove::ActsGuarded,
    ExplorationMove::AnswersChild,
    ExplorationMove::ActionEnds,
    ExplorationMove::Approve,
    ExplorationMove::AnswerUser,
    ExplorationMove::Stop,
    ExplorationMove::Interrupt,
    ExplorationMove::Resume,
    ExplorationMove::QuarterOfAnHour,
];

/// The state after an event of a session; `None` if the event is impossible.
fn after(world: &AgentTreeFixture, session: &str, one: ExplorationMove) -> Option<AgentTreeFixture> {
    let is_called = matches!(world.phase(session), Phase::CallingAi(round) if round.started_at.is_some());
    let is_agent = session != ROOT;
    let mut next = world.clone();
    match one {
        ExplorationMove::Exits if is_called && is_agent => next.says(session, exits()),
        ExplorationMove::SaysWords if is_called => next.says(session, "Well."),
        ExplorationMove::AsksUser if is_called && is_agent => next.says(session, asks("Which?", true)),
        ExplorationMove::CallsAgent if is_called => next.says(session, agent("One.", declared(1))),
        ExplorationMove::CallsTwo if is_called && !is_agent => {
            next.says(session, vec![agent("One.", declared(1)), agent("Two.", declared(0))]);
        }
        ExplorationMove::Acts if is_called && is_agent => next.says(session, action(1, false)),
        ExplorationMove::ActsGuarded if is_called && is_agent => next.says(session, action(2, true)),
        ExplorationMove::AnswersChild if is_called => {
            let child = world.facts(session).children.iter().find(|child| child.rests)?;
            next.says(session, answer(child.session.as_str(), "This."));
        }
        ExplorationMove::ActionEnds => {
            let effects = desired_effects(world.facts(session), world.phase(session), world.now);
            effects.iter().find(|effect| matches!(effect, Effect::RunCall { .. }))?;
            next.done(session);
        }
        ExplorationMove::Approve => {
            world.phase(session).batch()?.undecided().next()?;
            next.approve(session);
        }
        ExplorationMove::AnswerUser => {
            let answered = Input::CommunicationResponseReceived { author: "ann".into(), answer: "A.".into() };
            next.try_act(session, answered).ok()?;
        }
        ExplorationMove::Stop => next.try_act(session, stop()).ok()?,
        ExplorationMove::Interrupt => {
            next.try_act(session, Input::RoundInterrupted { author: "ann".into(), reply: None }).ok()?
        }
        ExplorationMove::Resume => {
            next.try_act(session, Input::SessionActivationRequested { author: "ann".into() }).ok()?;
        }
        ExplorationMove::QuarterOfAnHour if !is_agent => next.wait(Millis::minutes(15)),
        ExplorationMove::Exits
        | ExplorationMove::SaysWords
        | ExplorationMove::AsksUser
        | ExplorationMove::CallsAgent
        | ExplorationMove::CallsTwo
        | ExplorationMove::Acts
        | ExplorationMove::ActsGuarded
        | ExplorationMove::AnswersChild
        | ExplorationMove::QuarterOfAnHour => return None,
    }
    Some(next)
}

fn has_ended(world: &AgentTreeFixture, session: &str) -> bool {
    matches!(world.phase(session), Phase::Completed { .. })
}

/// Checks the invariants of a state.
fn check(world: &AgentTreeFixture) {
    for (facts, phase) in world.sessions.values() {
        let name = facts.id.as_str();
        let started = |call: &&crate::call::Call| matches!(call.state, CallState::Started { .. });
        for call in phase.batch().into_iter().flat_map(|batch| &batch.calls).filter(started) {
            if call.is_answered_by_agent() {
                let child = facts.children.iter().find(|child| child.call == call.id && !child.rests);
                let child = child.unwrap_or_else(|| panic!("{name}: nobody answers {}", call.id));
                assert!(!has_ended(world, child.session.as_str()), "{name}: {} has ended", child.session);
            }
        }
        let Some(agent) = &facts.agent else { continue };
        let (from, root) = (agent.from.as_str(), agent.root.as_str());
        if matches!(phase, Phase::Completed { .. }) {
            continue;
        }
        assert!(!has_ended(world, from), "{name} works for nobody");
        assert!(
            world.facts(from).children.iter().any(|child| child.session == facts.id),
            "{name} is unknown"
        );
        assert!(facts.slot != Slot::Held || world.facts(root).slot == Slot::Held, "{name} has a slot alone");
        if let Some(parent) = &world.facts(from).agent {
            assert!(agent.rights.is_within(&parent.rights), "{name} may do more than {from}");
        }
        let rules =
            crate::session::SessionRules::new(SessionKind::Agent, crate::session::LimitProfile::Autonomous);
        assert!(
            session_rights(facts, &rules, Some("ann")).is_within(&agent.rights),
            "{name} lends what it has not"
        );
    }
}

/// Checks that a stopped session ends as soon as its running work has finished.
fn check_stop(world: &AgentTreeFixture) {
    let mut world = world.clone();
    if has_ended(&world, ROOT) {
        return;
    }
    world.stop(ROOT);
    let names: Vec<String> = world.sessions.keys().map(|id| id.as_str().to_owned()).collect();
    for name in &names {
        while let Some(next) = after(&world, name, ExplorationMove::ActionEnds) {
            world = next;
        }
    }
    for name in &names {
        assert!(has_ended(&world, name), "{name} is left in {}", world.label(name));
    }
}

fn explore(begin: AgentTreeFixture, depth: usize) -> usize {
    let key = |world: &AgentTreeFixture| format!("{:?}", world.sessions);
    let mut known = HashSet::from([key(&begin)]);
    let mut level = vec![begin];
    for _step in 0..depth {
        let mut next = Vec::new();
        for world in &level {
            for session in world.sessions.keys().map(|id| id.as_str().to_owned()) {
                let moved = MOVES.iter().filter_map(|one| after(world, &session, *one));
                for state in moved.collect::<Vec<_>>() {
                    if known.insert(key(&state)) {
                        check(&state);
                        check_stop(&state);
                        next.push(state);
                    }
                }
            }
        }
        level = next;
    }
    known.len()
}

#[test]
fn nobody_of_a_family_waits_for_nobody() {
    for begin in [chat(), run()] {
        let states = explore(begin, 4);
        assert!(states > 300, "{states} states were seen");
    }
}
