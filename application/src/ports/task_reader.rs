use async_trait::async_trait;
use entracte_domain::id::{CallId, Digest, SessionId, TaskId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::{StoreError, WakeSchedule};

/// A long task's row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TaskRow {
    /// Its id, unique in a store.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub id: TaskId,
    /// Where it lives.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub workspace: WorkspaceKey,
    /// The session whose call it is.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// The call.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub call: CallId,
    /// Name of the command.
    pub command: String,
    /// The word for its state.
    pub state: String,
    /// It has not ended.
    pub open: bool,
    /// When to look at it again; none where only the other side can change it.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub wake_at: Option<Timestamp>,
    /// When it was made.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub created_at: Timestamp,
    /// The task, encoded.
    pub body: Vec<u8>,
}

/// That something was told of a task under an id of its sender. Under the same id nothing is taken in a second time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TaskArrivalRow {
    /// The task.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub task: TaskId,
    /// The sender's id of it (`webhook-id`), unique for the task.
    pub webhook_id: String,
    /// Hash of what came.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub digest: Digest,
    /// The word for what was answered.
    pub verdict: String,
    /// When it came.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub at: Timestamp,
}

/// Which tasks of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// Those of this session; none: of all.
    pub session: Option<SessionId>,
    /// Those that have not ended only.
    pub open: bool,
    /// At most so many; none: all.
    pub limit: Option<u32>,
}

/// Reads long tasks. They are written by [`Store::commit`](super::Store::commit) alone.
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
/// [`StoreError::Unavailable`] when the store cannot be asked now, [`StoreError::Inconsistent`] when a row of it cannot be
/// read. What is not there is no error: it is none, or an empty list.
///
/// # Cancel safety
/// Every method only reads: to drop its future leaves nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait TaskReader: Send + Sync {
    /// A task; none when this workspace has none of that id.
    async fn task(&self, workspace: &WorkspaceKey, id: &TaskId) -> Result<Option<TaskRow>, StoreError>;

    /// A task of any workspace, for those who know nothing but its id: whoever calls back for it. They prove by a signature
    /// that they may.
    async fn task_in_any_workspace(&self, id: &TaskId) -> Result<Option<TaskRow>, StoreError>;

    /// Tasks of a workspace, the latest first.
    async fn tasks(&self, workspace: &WorkspaceKey, filter: TaskFilter) -> Result<Vec<TaskRow>, StoreError>;

    /// The tasks of a workspace whose `wake_at` is not after `now`, the earliest first.
    async fn due_tasks(&self, workspace: &WorkspaceKey, now: Timestamp) -> Result<Vec<TaskRow>, StoreError>;

    /// The earliest `wake_at` of a workspace's tasks.
    async fn next_task(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError>;

    /// The workspaces with a task whose `wake_at` is not after `now`, and the earliest `wake_at` after it of all
    /// workspaces. Asked again and again, as [`Store::agenda`](super::Store::agenda) is.
    async fn task_wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError>;

    /// What was told of a task under that id; none when nothing was.
    async fn arrival(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
        webhook_id: &str,
    ) -> Result<Option<TaskArrivalRow>, StoreError>;

    /// All that was told of a task under an id, in the order it came.
    async fn arrivals(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
    ) -> Result<Vec<TaskArrivalRow>, StoreError>;
}
