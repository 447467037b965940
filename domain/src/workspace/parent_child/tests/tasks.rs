//! Agents that have begun long tasks.

use crate::id::TaskId;
use crate::session::Input;
use crate::task::TaskOutcome;

use super::agent_tree_fixture::{AgentTreeFixture, ROOT, action, agent, answer, chat, declared, exits};

fn ended(outcome: TaskOutcome, late: bool) -> Input {
    Input::TaskFinished { task: TaskId::new("tsk_a"), outcome, late, content: "15 invoices".into() }
}

/// A chat whose agent has begun a task, and says this then.
fn with_task() -> (AgentTreeFixture, String) {
    let mut world = chat();
    world.says(ROOT, agent("Book.", declared(0)));
    let child = world.child(ROOT);
    world.says(&child, action(1, false));
    world.accepted(&child, "tsk_a");
    (world, child)
}

#[test]
fn a_mission_does_not_end_before_its_tasks() {
    let (mut world, child) = with_task();
    world.says(&child, exits());
    assert_eq!((world.label(ROOT), world.label(&child)), ("EXECUTING_ACTIONS", "WAITING_TASK"));
    world.act(&child, ended(TaskOutcome::Completed, false));
    assert_eq!(world.label(&child), "CALLING_AI", "it reads the result first");
    world.says(&child, exits());
    assert_eq!((world.label(ROOT), world.label(&child)), ("CALLING_AI", "COMPLETED"));
}

/// Input: a task comes to its end while the model of the agent speaks; expected: the end of the mission, said without it,
/// does not count.
#[test]
fn a_result_that_came_meanwhile_is_read_before_the_mission_ends() {
    let (mut world, child) = with_task();
    world.act(&child, ended(TaskOutcome::Completed, false));
    world.says(&child, exits());
    assert_eq!((world.label(ROOT), world.label(&child)), ("EXECUTING_ACTIONS", "CALLING_AI"));
}

/// Input: a late result for an agent at rest; expected: it waits for the answer that its agent waits for, and is read with
/// it; else what it did would reach nobody.
#[test]
fn a_late_result_does_not_wake_an_agent_at_rest() {
    let (mut world, child) = with_task();
    world.says(&child, exits());
    world.act(&child, ended(TaskOutcome::Expired, false));
    world.says(&child, "Shall I wait?");
    assert_eq!((world.label(ROOT), world.label(&child)), ("CALLING_AI", "IDLE"));
    world.act(&child, ended(TaskOutcome::Completed, true));
    assert_eq!(world.label(&child), "IDLE");
    world.says(ROOT, answer(&child, "Yes."));
    assert_eq!(world.label(&child), "CALLING_AI");
    assert!(!world.facts(&child).owes_round, "the round reads both");
}
