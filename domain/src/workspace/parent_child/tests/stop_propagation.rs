//! Stops end all descendants, and no session waits for ever.

use crate::call::{CallOutcome, CallStatus};
use crate::session::Input;
use crate::time::Millis;
use crate::workspace::descendants_deepest_first;

use super::agent_tree_fixture::{
    AgentTreeFixture, ORPHANED, ROOT, action, agent, chat, declared, exits, forged, id, stop,
};

/// A chat, its agent, and that agent's agent, which runs an action.
fn three_levels() -> (AgentTreeFixture, String, String) {
    let mut world = chat();
    world.says(ROOT, agent("Book.", declared(1)));
    let child = world.child(ROOT);
    world.says(&child, agent("Send.", declared(0)));
    let below = world.child(&child);
    (world, child, below)
}

#[test]
fn stop_ends_whole_tree_deepest_first() {
    let (mut world, child, below) = three_levels();
    let from = world.log.len();
    world.stop(ROOT);
    for session in [ROOT, &child, &below] {
        assert_eq!(world.label(session), "COMPLETED", "{session}");
    }
    let said: Vec<&str> = world.log[from..].iter().map(|(session, _)| session.as_str()).collect();
    assert_eq!(said[..3], [&below, &child, ROOT], "each is stopped before the one that waits for it");
    assert_eq!(world.last_code(), "TERMINATED");
    assert_eq!(world.facts(ROOT).usage.unknown_attempts, 0, "nothing was sent that was not answered");
}

#[test]
fn second_stop_gives_up_the_running_action() {
    for second in [false, true] {
        let (mut world, child, below) = three_levels();
        world.says(&below, action(1, false));
        world.stop(ROOT);
        let waits = "EXECUTING_ACTIONS";
        assert_eq!([ROOT, &child, &below].map(|session| world.label(session)), [waits; 3]);
        if second {
            world.stop(ROOT);
            assert!(
                world
                    .ledger
                    .iter()
                    .any(|call| { call.result().is_some_and(|result| result.status == CallStatus::Unknown) })
            );
        } else {
            world.done(&below);
        }
        assert_eq!([ROOT, &child, &below].map(|session| world.label(session)), ["COMPLETED"; 3], "{second}");
    }
}

#[test]
fn interrupt_ends_agents_of_the_interrupted_round() {
    let (mut world, child, below) = three_levels();
    world.act(ROOT, Input::RoundInterrupted { author: "ann".into(), reply: None });
    assert_eq!((world.label(&child), world.label(&below)), ("COMPLETED", "COMPLETED"));
    assert_eq!(world.label(ROOT), "IDLE");
}

#[test]
fn run_time_limit_ends_its_agents() {
    let mut world = super::agent_tree_fixture::run();
    world.change = |rules| rules.run_duration = Millis::minutes(10);
    world.says(ROOT, agent("Book.", declared(0)));
    let child = world.child(ROOT);
    world.wait(Millis::minutes(11));
    assert_eq!(world.label(&child), "COMPLETED");
    assert_eq!(world.phase(ROOT).end_reason().map(|reason| reason.word()), Some("TIMEOUT"));
}

#[test]
fn an_agent_at_rest_ends_with_its_parent() {
    let mut world = chat();
    world.says(ROOT, agent("Book.", declared(0)));
    let child = world.child(ROOT);
    world.says(&child, "Which month?");
    world.act(ROOT, stop());
    assert_eq!((world.label(ROOT), world.label(&child)), ("COMPLETED", "COMPLETED"));
}

#[test]
fn stopped_agent_reports_and_its_caller_continues() {
    let mut world = chat();
    world.says(ROOT, agent("Book.", declared(0)));
    let child = world.child(ROOT);
    world.act(&child, stop());
    assert_eq!((world.label(ROOT), world.last_code().as_str()), ("CALLING_AI", "TERMINATED"));
}

/// Only its own agent finishes the call of an agent: no executor, loss, other agent or time-out does.
#[test]
fn the_call_of_an_agent_is_never_lost() {
    let mut world = chat();
    world.says(ROOT, agent("Book.", declared(0)));
    let child = world.child(ROOT);
    let call = world.facts(ROOT).children[0].call.clone();
    let digest = crate::id::Digest::new("d");
    let outcomes = [
        CallOutcome::Lost { found_by_start: Some(world.now), lands_by: None },
        CallOutcome::TimedOut,
        CallOutcome::Succeeded { content: "done".into(), digest: digest.clone(), files: Vec::new() },
        CallOutcome::Reported { report: Box::new(forged("ses_other")), digest },
    ];
    for outcome in outcomes {
        let finished = Input::CallFinished { call: call.clone(), attempt: 1, outcome };
        assert_eq!(world.try_act(ROOT, finished), Err(crate::session::IgnoreReason::Stale));
    }
    let effects = crate::session::desired_effects(world.facts(ROOT), world.phase(ROOT), world.now);
    assert_eq!(effects, [], "nothing outside is asked for it");
    world.says(&child, exits());
    assert_eq!(world.label(ROOT), "CALLING_AI");
}

#[test]
fn parent_child_events_are_delivered_once() {
    let mut world = chat();
    world.says(ROOT, agent("Book.", declared(0)));
    let child = world.child(ROOT);
    world.says(&child, exits());
    let known = Input::ChildEnded { report: Box::new(forged(&child)) };
    assert!(world.try_act(ROOT, known).is_err());
    assert!(world.try_act(&child, ORPHANED).is_err());
}

#[test]
fn descendants_are_listed_deepest_first() {
    let kin = [("ses_b", "ses_a"), ("ses_c", "ses_a"), ("ses_d", "ses_b"), ("ses_x", "ses_y")];
    let kin = kin.map(|(child, from)| (id(child), id(from)));
    assert_eq!(descendants_deepest_first(&id("ses_a"), &kin), [id("ses_d"), id("ses_c"), id("ses_b")]);
}
