use async_trait::async_trait;
use entracte_domain::id::{CallId, Digest, SessionId, TaskId, WorkspaceKey};
use entracte_domain::task::TaskState;
use entracte_domain::time::Timestamp;

use super::{StoreError, WakeSchedule};

/// The stored row of a long task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TaskRow {
    /// The id, unique in a store.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub id: TaskId,
    /// The workspace the task belongs to.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub workspace: WorkspaceKey,
    /// The session of the call.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// The call that started the task.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub call: CallId,
    /// The name of the command.
    pub command: String,
    /// Its state.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub state: TaskState,
    /// Whether it has not ended.
    pub open: bool,
    /// When to examine it again; `None` if only its server can change it.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub wake_at: Option<Timestamp>,
    /// When it was created.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub created_at: Timestamp,
    /// The encoded task.
    pub body: Vec<u8>,
}

/// A message about a task, stored under the sender's id. A message with the same id is not processed again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TaskArrivalRow {
    /// The task the message is about.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub task: TaskId,
    /// The sender's id (`webhook-id`), unique per task.
    pub webhook_id: String,
    /// The hash of the message.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub digest: Digest,
    /// The stored word of the response.
    pub verdict: String,
    /// When it arrived.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub at: Timestamp,
}

/// Selects the tasks of a workspace to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// Only tasks of this session; `None` = all.
    pub session: Option<SessionId>,
    /// Only tasks that have not ended.
    pub open: bool,
    /// The maximum number of tasks; `None` = unlimited.
    pub limit: Option<u32>,
}

/// Reads long tasks. Only [`WorkspaceStore::commit`](super::WorkspaceStore::commit) writes them.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{MockTaskReader, TaskFilter, TaskReader};
///
/// let mut reader = MockTaskReader::new();
/// reader.expect_tasks().returning(|_, _| Ok(Vec::new()));
/// let open = TaskFilter { open: true, ..TaskFilter::default() };
/// assert_eq!(reader.tasks(&samples::workspace(), open).await?, []);
/// # Ok(()) });
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be queried now, [`StoreError::Inconsistent`] when a row cannot be
/// read. A missing row is not an error: the result is `None`, or an empty list.
///
/// # Cancel safety
/// Every method only reads: dropping its future leaves nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait TaskReader: Send + Sync {
    /// One task; `None` if this workspace has none of that id.
    async fn task(&self, workspace: &WorkspaceKey, id: &TaskId) -> Result<Option<TaskRow>, StoreError>;

    /// A task of any workspace, for callbacks that only know its id. Their signature proves that they are authorised.
    async fn task_in_any_workspace(&self, id: &TaskId) -> Result<Option<TaskRow>, StoreError>;

    /// The tasks of a workspace that match the filter, latest first.
    async fn tasks(&self, workspace: &WorkspaceKey, filter: TaskFilter) -> Result<Vec<TaskRow>, StoreError>;

    /// The tasks of a workspace whose `wake_at` is not after `now`, earliest first.
    async fn due_tasks(&self, workspace: &WorkspaceKey, now: Timestamp) -> Result<Vec<TaskRow>, StoreError>;

    /// The earliest `wake_at` of a workspace's tasks.
    async fn next_task(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError>;

    /// The workspaces with a task whose `wake_at` is not after `now`, and the earliest later `wake_at` of all
    /// workspaces. Polled like [`WorkspaceStore::wake_schedule`](super::WorkspaceStore::wake_schedule).
    async fn task_wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError>;

    /// The arrival of a task under that id; `None` if there is none.
    async fn arrival(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
        webhook_id: &str,
    ) -> Result<Option<TaskArrivalRow>, StoreError>;

    /// All arrivals of a task, in order of arrival.
    async fn arrivals(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
    ) -> Result<Vec<TaskArrivalRow>, StoreError>;
}
