use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::task::{Task, TaskProtocol, TaskUpdate};
use entracte_domain::time::{Millis, Timestamp};

use crate::settings::WorkspaceLocale;

/// Declares that a command becomes a long task, or may become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskSpec {
    /// The protocol of the task server.
    pub gateway: TaskProtocol,
    /// Whether every call is a task, whose row is created in the commit that starts the call. Otherwise the row is
    /// created when the answer says that the call became a task.
    pub is_registered: bool,
    /// The time after which a task expires, whatever its server does; 0 = never.
    pub deadline: Millis,
}

/// A task with the context that its gateway needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskGatewayRequest {
    /// The workspace of the task.
    pub workspace: WorkspaceKey,
    /// The task, as committed.
    pub task: Task,
    /// The current time.
    pub now: Timestamp,
    /// The date format and the language of the workspace.
    pub locale: WorkspaceLocale,
}

/// Communicates with the servers of tasks that have begun.
///
/// Contract: it neither retries nor waits internally; dropping a future really stops the work; returned updates
/// contain no secret. The state machine decides the polling interval, and how to handle a missing task.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{MockTaskGateway, TaskGateway};
/// use entracte_domain::task::TaskUpdate;
///
/// let mut gateway = MockTaskGateway::new();
/// gateway.expect_poll().returning(|_| TaskUpdate::Gone);
/// assert_eq!(gateway.poll(samples::task_request()).await, TaskUpdate::Gone);
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Each future is dropped when the process ends, when the task needs another request, or after `runtime.task_answer`:
/// the work must really stop then. The next examination of the task repeats interrupted work, so each request must be
/// repeatable.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait TaskGateway: Send + Sync {
    /// Queries the state of a task: returns [`TaskUpdate::Progress`], [`TaskUpdate::Asks`], [`TaskUpdate::Final`],
    /// [`TaskUpdate::Gone`] or [`TaskUpdate::Unreachable`]; or [`TaskUpdate::AnswerTaken`] with another handle, under which
    /// the task goes on.
    async fn poll(&self, request: TaskGatewayRequest) -> TaskUpdate;

    /// Requests cancellation: returns [`TaskUpdate::CancelAnswered`], or [`TaskUpdate::Final`] if the server reports
    /// how the task ended.
    async fn cancel(&self, request: TaskGatewayRequest) -> TaskUpdate;

    /// Sends a person's answer (`task.answer`) to the task's question (`task.question`): returns
    /// [`TaskUpdate::AnswerTaken`] or [`TaskUpdate::AnswerRefused`]; [`TaskUpdate::Unreachable`] is retried.
    async fn answer(&self, request: TaskGatewayRequest) -> TaskUpdate;
}
