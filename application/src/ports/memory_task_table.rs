use std::collections::BTreeMap;

use entracte_domain::id::{SessionId, TaskId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::{CommitError, TaskArrivalRow, TaskFilter, TaskRow, WakeSchedule};

/// Long tasks and their arrivals in memory, for stores without a database.
#[derive(Clone, Debug, Default)]
pub struct MemoryTaskTable {
    tasks: BTreeMap<TaskId, TaskRow>,
    /// In order of arrival.
    arrivals: Vec<TaskArrivalRow>,
}

impl MemoryTaskTable {
    /// Restores the table from saved tasks, in any order, and their arrivals, in order of arrival.
    pub fn load(
        tasks: impl IntoIterator<Item = TaskRow>,
        arrivals: impl IntoIterator<Item = TaskArrivalRow>,
    ) -> Self {
        Self {
            tasks: tasks.into_iter().map(|row| (row.id.clone(), row)).collect(),
            arrivals: arrivals.into_iter().collect(),
        }
    }

    /// All tasks, for saving.
    pub fn task_rows(&self) -> impl Iterator<Item = &TaskRow> {
        self.tasks.values()
    }

    /// All arrivals in order of arrival, for saving.
    pub fn arrival_rows(&self) -> &[TaskArrivalRow] {
        &self.arrivals
    }

    /// Inserts or updates a task.
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

    /// Records an arrival of a task.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when the task has an arrival under this id already.
    pub fn record_arrival(&mut self, row: TaskArrivalRow) -> Result<(), CommitError> {
        if self.arrivals.iter().any(|known| known.task == row.task && known.webhook_id == row.webhook_id) {
            return Err(CommitError::Conflict(format!("arrival {} of task {}", row.webhook_id, row.task)));
        }
        self.arrivals.push(row);
        Ok(())
    }

    /// Deletes the tasks of a deleted session.
    pub fn delete_session_tasks(&mut self, workspace: &WorkspaceKey, session: &SessionId) {
        self.tasks.retain(|_, row| row.workspace != *workspace || row.session != *session);
        self.arrivals.retain(|row| self.tasks.contains_key(&row.task));
    }

    /// A task of this workspace, by id.
    pub fn task(&self, workspace: &WorkspaceKey, id: &TaskId) -> Option<TaskRow> {
        self.locate(id).filter(|row| row.workspace == *workspace)
    }

    /// A task of any workspace, by id.
    pub fn locate(&self, id: &TaskId) -> Option<TaskRow> {
        self.tasks.get(id).cloned()
    }

    /// The tasks of a workspace that match the filter, latest first.
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

    /// The due tasks of a workspace, earliest first.
    pub fn due(&self, workspace: &WorkspaceKey, now: Timestamp) -> Vec<TaskRow> {
        let is_due = |row: &&TaskRow| row.workspace == *workspace && row.wake_at.is_some_and(|at| at <= now);
        let mut found: Vec<TaskRow> = self.tasks.values().filter(is_due).cloned().collect();
        found.sort_by(|a, b| (a.wake_at, &a.id).cmp(&(b.wake_at, &b.id)));
        found
    }

    /// The next instant at which a task of the workspace is due.
    pub fn next(&self, workspace: &WorkspaceKey) -> Option<Timestamp> {
        let own = self.tasks.values().filter(|row| row.workspace == *workspace);
        own.filter_map(|row| row.wake_at).min()
    }

    /// The workspaces with due tasks, and the next instant at which one is due.
    pub fn agenda(&self, now: Timestamp) -> WakeSchedule {
        WakeSchedule::from_instants(
            self.tasks.values().filter_map(|row| Some((&row.workspace, row.wake_at?))),
            now,
        )
    }

    /// The arrival of a task under that id.
    pub fn arrival(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
        webhook_id: &str,
    ) -> Option<TaskArrivalRow> {
        self.arrivals(workspace, task).into_iter().find(|row| row.webhook_id == webhook_id)
    }

    /// All arrivals of a task, in order of arrival.
    pub fn arrivals(&self, workspace: &WorkspaceKey, task: &TaskId) -> Vec<TaskArrivalRow> {
        match self.task(workspace, task) {
            Some(_) => self.arrivals.iter().filter(|row| row.task == *task).cloned().collect(),
            None => Vec::new(),
        }
    }
}
