use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::task::{Task, TaskProtocol, TaskUpdate};
use entracte_domain::time::{Millis, Timestamp};

use crate::settings::WorkspaceLocale;

/// That a command becomes a long task, or may become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskSpec {
    /// What the other side speaks.
    pub gateway: TaskProtocol,
    /// Every call of it is a task: its row is made in the commit that starts the call. Where not, there is a row from the
    /// answer on that the call became a task.
    pub is_registered: bool,
    /// After how long a task is over, whatever the other side does; 0 = never.
    pub deadline: Millis,
}

/// A task, for whoever speaks with its other side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRequest {
    /// Whose task.
    pub workspace: WorkspaceKey,
    /// The task, as committed.
    pub task: Task,
    /// Now.
    pub now: Timestamp,
    /// How the workspace reads dates, and the language it is spoken to in.
    pub locale: WorkspaceLocale,
}

/// Speaks with the other side of tasks that have begun.
///
/// Contract: nothing is retried or awaited inside; dropping a future stops the work for real; no secret is in what comes
/// back. The pauses between questions, and what a task that is gone means, are decided by the machine.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{MockTaskGateway, TaskGateway};
/// use entracte_domain::task::Arrival;
///
/// let mut gateway = MockTaskGateway::new();
/// gateway.expect_poll().returning(|_| Arrival::Gone);
/// assert_eq!(gateway.poll(samples::task_request()).await, Arrival::Gone);
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Each future is dropped when the process ends, when the task wants something else, or after `runtime.task_answer`: the work
/// must stop for real then. What was under way is done again by the next look at the task, so each may be repeated.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait TaskGateway: Send + Sync {
    /// Asks how a task stands: [`TaskUpdate::Progress`], [`TaskUpdate::Asks`], [`TaskUpdate::Final`], [`TaskUpdate::Gone`] or
    /// [`TaskUpdate::Unreachable`].
    async fn poll(&self, request: TaskRequest) -> TaskUpdate;

    /// Tells the other side to stop: [`TaskUpdate::CancelAnswered`], or [`TaskUpdate::Final`] where it says how it ended.
    async fn cancel(&self, request: TaskRequest) -> TaskUpdate;

    /// Gives the other side what a person answered (`task.answer`) to what it asked (`task.question`):
    /// [`TaskUpdate::AnswerTaken`] or [`TaskUpdate::AnswerRefused`]; [`TaskUpdate::Unreachable`] is tried again.
    async fn answer(&self, request: TaskRequest) -> TaskUpdate;
}
