//! Agents that started long tasks.

use crate::id::TaskId;
use crate::session::Input;
use crate::task::TaskOutcome;

use super::agent_tree_fixture::{AgentTreeFixture, ROOT, action, agent, answer, chat, declared, exits};

fn ended(outcome: TaskOutcome, late: bool) -> Input {
    Input::TaskFinished { task: TaskId::new("tsk_a"), outcome, late, content: "15 invoices".into() }
}

/// A chat whose agent started a task and then gave this reply.
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

/// Input: a task ends while the agent's model replies; expected: a mission exit in that reply does not count, because
/// it was written without the result.
#[test]
fn task_result_during_round_is_read_before_exit() {
    let (mut world, child) = with_task();
    world.act(&child, ended(TaskOutcome::Completed, false));
    world.says(&child, exits());
    assert_eq!((world.label(ROOT), world.label(&child)), ("EXECUTING_ACTIONS", "CALLING_AI"));
}

/// Input: a late result for a resting agent; expected: it waits for the answer that its agent waits for and is read
/// with it, otherwise the reaction to it would reach no caller.
#[test]
fn late_result_does_not_wake_resting_agent() {
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
