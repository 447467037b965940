//! [`TaskReader`] on a database.

use async_trait::async_trait;
use entracte_application::ports::{
    StoreError, TaskArrivalRow, TaskFilter, TaskReader, TaskRow, WakeSchedule,
};
use entracte_domain::id::{TaskId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::database::Database;
use crate::queries::tasks;

/// Reader of long tasks.
pub(crate) struct DbTaskReader(pub(crate) Database);

#[async_trait]
impl TaskReader for DbTaskReader {
    async fn task(&self, workspace: &WorkspaceKey, id: &TaskId) -> Result<Option<TaskRow>, StoreError> {
        let (workspace, id) = (workspace.clone(), id.clone());
        self.0.read(move |conn| tasks::find(conn, &workspace, &id)).await
    }

    async fn task_in_any_workspace(&self, id: &TaskId) -> Result<Option<TaskRow>, StoreError> {
        let id = id.clone();
        self.0.read(move |conn| tasks::locate(conn, &id)).await
    }

    async fn tasks(&self, workspace: &WorkspaceKey, filter: TaskFilter) -> Result<Vec<TaskRow>, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| tasks::list_for_workspace(conn, &workspace, &filter)).await
    }

    async fn due_tasks(&self, workspace: &WorkspaceKey, now: Timestamp) -> Result<Vec<TaskRow>, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| tasks::due_in(conn, &workspace, now)).await
    }

    async fn next_task(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| tasks::next(conn, &workspace)).await
    }

    async fn task_wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError> {
        self.0.read(move |conn| tasks::agenda(conn, now)).await
    }

    async fn arrival(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
        webhook_id: &str,
    ) -> Result<Option<TaskArrivalRow>, StoreError> {
        let (workspace, task, webhook_id) = (workspace.clone(), task.clone(), webhook_id.to_owned());
        self.0.read(move |conn| tasks::find_arrival(conn, &workspace, &task, &webhook_id)).await
    }

    async fn arrivals(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
    ) -> Result<Vec<TaskArrivalRow>, StoreError> {
        let (workspace, task) = (workspace.clone(), task.clone());
        self.0.read(move |conn| tasks::arrivals(conn, &workspace, &task)).await
    }
}
