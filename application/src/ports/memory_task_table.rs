use std::collections::BTreeMap;

use entracte_domain::id::{SessionId, TaskId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::{CommitError, TaskArrivalRow, TaskFilter, TaskRow, WakeSchedule};

/// Long tasks and what was told of them, for stores that have no database to keep them.
#[derive(Clone, Debug, Default)]
pub struct MemoryTaskTable {
    tasks: BTreeMap<TaskId, TaskRow>,
    /// In the order they came.
    arrivals: Vec<TaskArrivalRow>,
}

impl MemoryTaskTable {
    /// Keeps a task, new or changed.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when a task of another workspace has its id.
    pub fn upsert_task(&mut self, row: TaskRow) -> Result<(), CommitError> {
        match self.tasks.get(&row.id) {
            Some(known) if known.workspace != row.workspace => {
                Err(CommitError::Conflict(format!("task {}", row.id)))
            }
            Some(_) | None => {
                self.tasks.insert(row.id.clone(), row);
                Ok(())
            }
        }
    }

    /// Keeps that something was told.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when something was told of the task under its id before.
    pub fn record_arrival(&mut self, row: TaskArrivalRow) -> Result<(), CommitError> {
        if self.arrivals.iter().any(|known| known.task == row.task && known.webhook_id == row.webhook_id) {
            return Err(CommitError::Conflict(format!("arrival {} of task {}", row.webhook_id, row.task)));
        }
        self.arrivals.push(row);
        Ok(())
    }

    /// Forgets the tasks of a session that is there no more.
    pub fn delete_session_tasks(&mut self, workspace: &WorkspaceKey, session: &SessionId) {
        self.tasks.retain(|_, row| row.workspace != *workspace || row.session != *session);
        self.arrivals.retain(|row| self.tasks.contains_key(&row.task));
    }

    /// A task of a workspace.
    pub fn task(&self, workspace: &WorkspaceKey, id: &TaskId) -> Option<TaskRow> {
        self.locate(id).filter(|row| row.workspace == *workspace)
    }

    /// A task of any workspace.
    pub fn locate(&self, id: &TaskId) -> Option<TaskRow> {
        self.tasks.get(id).cloned()
    }

    /// Tasks of a workspace, the latest first.
    pub fn tasks(&self, workspace: &WorkspaceKey, filter: &TaskFilter) -> Vec<TaskRow> {
        let is_meant = |row: &&TaskRow| {
            row.workspace == *workspace
                && filter.session.as_ref().is_none_or(|session| row.session == *session)
                && (row.open || !filter.open)
        };
        let mut found: Vec<TaskRow> = self.tasks.values().filter(is_meant).cloned().collect();
        found.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        found.truncate(filter.limit.map_or(usize::MAX, |limit| limit as usize));
        found
    }

    /// The tasks of a workspace that are due, the earliest first.
    pub fn due(&self, workspace: &WorkspaceKey, now: Timestamp) -> Vec<TaskRow> {
        let is_due = |row: &&TaskRow| row.workspace == *workspace && row.wake_at.is_some_and(|at| at <= now);
        let mut found: Vec<TaskRow> = self.tasks.values().filter(is_due).cloned().collect();
        found.sort_by(|a, b| (a.wake_at, &a.id).cmp(&(b.wake_at, &b.id)));
        found
    }

    /// When the next task of a workspace is due.
    pub fn next(&self, workspace: &WorkspaceKey) -> Option<Timestamp> {
        let own = self.tasks.values().filter(|row| row.workspace == *workspace);
        own.filter_map(|row| row.wake_at).min()
    }

    /// Where tasks are due, and when the next one is.
    pub fn agenda(&self, now: Timestamp) -> WakeSchedule {
        WakeSchedule::from_instants(
            self.tasks.values().filter_map(|row| Some((&row.workspace, row.wake_at?))),
            now,
        )
    }

    /// What was told of a task under that id.
    pub fn arrival(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
        webhook_id: &str,
    ) -> Option<TaskArrivalRow> {
        self.arrivals(workspace, task).into_iter().find(|row| row.webhook_id == webhook_id)
    }

    /// All that was told of a task, in the order it came.
    pub fn arrivals(&self, workspace: &WorkspaceKey, task: &TaskId) -> Vec<TaskArrivalRow> {
        match self.task(workspace, task) {
            Some(_) => self.arrivals.iter().filter(|row| row.task == *task).cloned().collect(),
            None => Vec::new(),
        }
    }
}
