//! Every way of a small family, as deep as a test may go: no order of what models, people and time do leaves anybody
//! waiting for nobody, gives anybody more than its caller has, or a tree a second slot.

use std::collections::HashSet;

use crate::call::CallState;
use crate::session::{Effect, Input, Phase, SessionKind, Slot, desired_effects, rights};
use crate::time::Millis;

use super::world::{ROOT, World, action, agent, answer, asks, chat, declared, exits, run, stop};

/// What may happen to one session.
#[derive(Clone, Copy, Debug)]
enum Move {
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

const MOVES: [Move; 15] = [
    Move::Exits,
    Move::SaysWords,
    Move::AsksUser,
    Move::CallsAgent,
    Move::CallsTwo,
    Move::Acts,
    Move::ActsGuarded,
    Move::AnswersChild,
    Move::ActionEnds,
    Move::Approve,
    Move::AnswerUser,
    Move::Stop,
    Move::Interrupt,
    Move::Resume,
    Move::QuarterOfAnHour,
];

/// The state after a move of a session; none where it cannot make it.
fn after(world: &World, session: &str, one: Move) -> Option<World> {
    let is_called = matches!(world.phase(session), Phase::CallingAi(round) if round.started_at.is_some());
    let is_agent = session != ROOT;
    let mut next = world.clone();
    match one {
        Move::Exits if is_called && is_agent => next.says(session, exits()),
        Move::SaysWords if is_called => next.says(session, "Well."),
        Move::AsksUser if is_called && is_agent => next.says(session, asks("Which?", true)),
        Move::CallsAgent if is_called => next.says(session, agent("One.", declared(1))),
        Move::CallsTwo if is_called && !is_agent => {
            next.says(session, vec![agent("One.", declared(1)), agent("Two.", declared(0))]);
        }
        Move::Acts if is_called && is_agent => next.says(session, action(1, false)),
        Move::ActsGuarded if is_called && is_agent => next.says(session, action(2, true)),
        Move::AnswersChild if is_called => {
            let child = world.facts(session).children.iter().find(|child| child.rests)?;
            next.says(session, answer(child.session.as_str(), "This."));
        }
        Move::ActionEnds => {
            let effects = desired_effects(world.facts(session), world.phase(session), world.now);
            effects.iter().find(|effect| matches!(effect, Effect::RunCall { .. }))?;
            next.done(session);
        }
        Move::Approve => {
            world.phase(session).batch()?.undecided().next()?;
            next.approve(session);
        }
        Move::AnswerUser => {
            let answered = Input::CommunicationResponseReceived { author: "ann".into(), answer: "A.".into() };
            next.try_act(session, answered).ok()?;
        }
        Move::Stop => next.try_act(session, stop()).ok()?,
        Move::Interrupt => next.try_act(session, Input::RoundInterrupted { author: "ann".into() }).ok()?,
        Move::Resume => {
            next.try_act(session, Input::SessionActivationRequested { author: "ann".into() }).ok()?;
        }
        Move::QuarterOfAnHour if !is_agent => next.wait(Millis::minutes(15)),
        Move::Exits
        | Move::SaysWords
        | Move::AsksUser
        | Move::CallsAgent
        | Move::CallsTwo
        | Move::Acts
        | Move::ActsGuarded
        | Move::AnswersChild
        | Move::QuarterOfAnHour => return None,
    }
    Some(next)
}

fn has_ended(world: &World, session: &str) -> bool {
    matches!(world.phase(session), Phase::Completed { .. })
}

/// What holds in each state.
fn check(world: &World) {
    for (facts, phase) in world.sessions.values() {
        let name = facts.id.as_str();
        let started = |call: &&crate::call::Call| matches!(call.state, CallState::Started { .. });
        for call in phase.batch().into_iter().flat_map(|batch| &batch.calls).filter(started) {
            if call.is_of_child() {
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
        let rules = crate::session::Rules::new(SessionKind::Agent, crate::session::Profile::Autonomous);
        assert!(rights(facts, &rules, Some("ann")).is_within(&agent.rights), "{name} lends what it has not");
    }
}

/// Whoever is stopped ends, as soon as what is under way has ended.
fn check_stop(world: &World) {
    let mut world = world.clone();
    if has_ended(&world, ROOT) {
        return;
    }
    world.stop(ROOT);
    let names: Vec<String> = world.sessions.keys().map(|id| id.as_str().to_owned()).collect();
    for name in &names {
        while let Some(next) = after(&world, name, Move::ActionEnds) {
            world = next;
        }
    }
    for name in &names {
        assert!(has_ended(&world, name), "{name} is left in {}", world.label(name));
    }
}

fn explore(begin: World, depth: usize) -> usize {
    let key = |world: &World| format!("{:?}", world.sessions);
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
