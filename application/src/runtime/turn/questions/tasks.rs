use entracte_domain::id::{SessionId, TaskId};
use entracte_domain::time::Timestamp;

use super::{QuestionReader, TurnQuestion};
use crate::ports::{TaskFilter, TaskRow};
use crate::runtime::error::TurnError;

/// The row of a task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct TaskRowQuestion(pub(in crate::runtime) TaskId);

impl TurnQuestion for TaskRowQuestion {
    type Answer = Option<TaskRow>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Option<TaskRow>, TurnError> {
        Ok(reader.services.tasks.task(reader.key, &self.0).await?)
    }
}

/// The rows of a session's tasks that have not ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct OpenTasksQuestion(pub(in crate::runtime) SessionId);

impl TurnQuestion for OpenTasksQuestion {
    type Answer = Vec<TaskRow>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<TaskRow>, TurnError> {
        let filter = TaskFilter { session: Some(self.0.clone()), open: true, ..TaskFilter::default() };
        Ok(reader.services.tasks.tasks(reader.key, filter).await?)
    }
}

/// The rows of the tasks due at or before this time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct DueTasksQuestion(pub(in crate::runtime) Timestamp);

impl TurnQuestion for DueTasksQuestion {
    type Answer = Vec<TaskRow>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<TaskRow>, TurnError> {
        Ok(reader.services.tasks.due_tasks(reader.key, self.0).await?)
    }
}

/// Whether an update of a task was received under this message id of its sender.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct KnownTaskUpdateQuestion {
    pub(in crate::runtime) task: TaskId,
    pub(in crate::runtime) webhook_id: String,
}

impl TurnQuestion for KnownTaskUpdateQuestion {
    type Answer = bool;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<bool, TurnError> {
        let row = reader.services.tasks.arrival(reader.key, &self.task, &self.webhook_id).await?;
        Ok(row.is_some())
    }
}
