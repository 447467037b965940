//! An agent tree has one slot.

use crate::session::{SessionKind, Slot, standing};
use crate::workspace::SlotRules;

use super::agent_tree_fixture::{AgentTreeFixture, ROOT, action, agent, chat, declared, id, run, said};

fn slot(world: &AgentTreeFixture, session: &str) -> Slot {
    world.facts(session).slot
}

fn standing_of(world: &AgentTreeFixture, session: &str) -> &'static str {
    standing(world.facts(session), world.phase(session)).word()
}

#[test]
fn agents_share_the_slot_of_their_session() {
    let mut world = chat();
    world.says(ROOT, vec![agent("One.", declared(1)), agent("Two.", declared(0))]);
    let [one, two] = world.children(ROOT).try_into().expect("two");
    world.says(&one, agent("Below.", declared(0)));
    let below = world.child(&one);
    for session in [ROOT, &one, &two, &below] {
        assert_eq!(slot(&world, session), Slot::Held, "{session}");
    }
    let others = world.sessions.values().filter(|(facts, _)| facts.slot == Slot::Held).count();
    assert_eq!(others, 4, "there is one slot in the workspace");
}

#[test]
fn run_releases_slot_while_all_agents_wait() {
    let mut world = run();
    world.says(ROOT, vec![agent("One.", declared(0)), agent("Two.", declared(0))]);
    let [one, two] = world.children(ROOT).try_into().expect("two");
    world.says(&one, action(1, true));
    assert_eq!((slot(&world, ROOT), slot(&world, &two)), (Slot::Held, Slot::Held), "the other one works");
    assert_eq!(standing_of(&world, &one), "parked");
    world.says(&two, action(2, true));
    assert_eq!([ROOT, &one, &two].map(|session| standing_of(&world, session)), ["parked"; 3]);
    world.approve(&one);
    assert_eq!((slot(&world, ROOT), slot(&world, &one)), (Slot::Held, Slot::Held));
    assert_eq!(slot(&world, &two), Slot::None, "it waits still");
    world.done(&one);
    assert_eq!(world.label(&one), "CALLING_AI");
}

#[test]
fn chat_preempts_tree_after_its_running_actions() {
    let mut world = run();
    world.says(ROOT, agent("One.", declared(0)));
    let child = world.child(ROOT);
    world.says(&child, action(1, false));
    world.make("ses_c", SessionKind::Chat, None);
    world.act("ses_c", said("Now."));
    assert!(matches!(slot(&world, "ses_c"), Slot::Queued(_)), "an agent acts");
    world.done(&child);
    assert_eq!(slot(&world, "ses_c"), Slot::Held);
    for session in [ROOT, child.as_str()] {
        assert!(matches!(slot(&world, session), Slot::Suspended(_)), "{session}");
    }
    world.says("ses_c", "Done.");
    world.act("ses_c", super::agent_tree_fixture::stop());
    assert_eq!((slot(&world, ROOT), slot(&world, &child)), (Slot::Held, Slot::Held), "they go on alone");
}

#[test]
fn stopping_process_releases_slots_of_whole_tree() {
    let mut world = run();
    world.says(ROOT, agent("One.", declared(0)));
    let child = world.child(ROOT);
    let seats: Vec<crate::workspace::PlacementCandidate> = world
        .sessions
        .values()
        .map(|(facts, phase)| crate::workspace::PlacementCandidate::from_session(facts, phase))
        .collect();
    let moves = crate::workspace::release_all_slots(&seats, world.now);
    let moved: Vec<_> = moves.iter().map(|moved| (moved.session.clone(), moved.slot)).collect();
    let suspended = Slot::Suspended(world.now);
    assert_eq!(moved, [(id(ROOT), suspended), (id(&child), suspended)]);
    assert_eq!(crate::workspace::waiting_queue(&seats, &SlotRules::default(), world.now), []);
}
