//! The two commands for long tasks. A model lists the tasks of its own session and cancels one: that is a fact of
//! the task, which the turn applies with the call's outcome.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::call::CallOutcome;
use entracte_domain::command::{Command, EffectClass};
use entracte_domain::id::TaskId;
use entracte_domain::task::{Task, TaskResult};
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::call_outcomes::{doc, object, outcome, permanent_failure, read_failure};
use crate::calendar::Calendar;
use crate::codec::decode_task;
use crate::ports::{
    ActionDescription, ActionPlan, ActionPlanError, CallRequest, CommandExecutor, CommandSpec,
    ResourceReader, StoreError, TaskFilter, TaskReader,
};
use crate::settings::WorkspaceLocale;
use crate::texts::{LocalizedTexts, say};

/// Maximum tasks of one list.
const TASKS_MAX: u32 = 50;

/// `tasks.list` and `tasks.stop`. They exist if a command may become a task.
pub struct TasksExecutor {
    tasks: Arc<dyn TaskReader>,
}

impl TasksExecutor {
    /// Name of the command that cancels a task.
    pub const STOP: &'static str = "tasks.stop";
    const LIST: &'static str = "tasks.list";
    const LIST_WORD: &'static str = "LIST_TASKS";
    const STOP_WORD: &'static str = "STOP_TASK";
    /// The names and words of both commands.
    pub(super) const NAMES: [&'static str; 4] = [Self::LIST, Self::STOP, Self::LIST_WORD, Self::STOP_WORD];

    /// Reads these tasks.
    pub fn new(tasks: Arc<dyn TaskReader>) -> Self {
        Self { tasks }
    }

    /// Whether commands of these executors may become tasks.
    pub fn supports_tasks(executors: &[Arc<dyn CommandExecutor>]) -> bool {
        executors.iter().flat_map(|executor| executor.commands()).any(|spec| spec.task.is_some())
    }

    /// The task that a command cancels; `None` for any other command.
    pub fn stopped_task_id(command: &Command) -> Option<TaskId> {
        let task = command.arguments.get("task").and_then(JsonValue::as_text)?;
        (command.name == Self::STOP).then(|| TaskId::new(task))
    }

    /// The task of the request's session that it names.
    async fn find_requested_task(&self, request: &CallRequest) -> Result<Option<Task>, StoreError> {
        let id = request.command.arguments.get("task").and_then(JsonValue::as_text).unwrap_or_default();
        let row = self.tasks.task(&request.workspace, &TaskId::new(id)).await?;
        row.filter(|row| row.session == request.session)
            .map(|row| decode_task(&row).map_err(|fault| damaged(id, &fault.to_string())))
            .transpose()
    }

    async fn list(&self, request: &CallRequest) -> Result<String, StoreError> {
        let filter =
            TaskFilter { session: Some(request.session.clone()), limit: Some(TASKS_MAX), open: false };
        let rows = self.tasks.tasks(&request.workspace, filter).await?;
        let mut lines = Vec::with_capacity(rows.len());
        for row in &rows {
            let task = decode_task(row).map_err(|fault| damaged(row.id.as_str(), &fault.to_string()))?;
            lines.push(line(&task, &request.locale));
        }
        Ok(json!({ "tasks": lines }).to_string())
    }
}

fn damaged(id: &str, fault: &str) -> StoreError {
    StoreError::Inconsistent(format!("tasks.body of {id}: {fault}"))
}

/// A task as the model reads it. Text from the remote side is included as data; the result was delivered when it
/// arrived.
fn line(task: &Task, locale: &WorkspaceLocale) -> serde_json::Value {
    let calendar = Calendar::from_locale(locale);
    let ended = |result: &TaskResult| result.outcome.word();
    json!({
        "task": task.id.as_str(),
        "command": task.command,
        "state": task.state.word(),
        "began": calendar.format_for_people(task.created_at),
        "deadline": task.deadline.map(|deadline| calendar.format_for_people(deadline.due_at)),
        "ended": task.completed_at.map(|at| calendar.format_for_people(at)),
        "progress": task.progress.as_ref().map(|progress| progress.text.as_str()),
        "being_cancelled": task.cancel.is_some() && !task.state.is_final(),
        "late": task.late_result.as_ref().map(ended),
    })
}

fn refusal(code: &str, message: String) -> ActionPlanError {
    ActionPlanError::Refused(permanent_failure(code, message))
}

#[async_trait]
impl CommandExecutor for TasksExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let list = object(&json!({}), &[]);
        let task = json!({ "task": { "type": "string", "minLength": 1, "maxLength": 80 } });
        let stop = object(&task, &["task"]);
        vec![
            CommandSpec::query(Self::LIST_WORD, Self::LIST, &doc(Self::LIST_WORD), list),
            CommandSpec::action(Self::STOP_WORD, Self::STOP, &doc(Self::STOP_WORD), EffectClass::Local, stop),
        ]
    }

    fn schemas_are_tested(&self) -> bool {
        true
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        outcome(self.list(&request).await.map_err(|fault| read_failure(&fault)))
    }

    async fn plan(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionPlan, ActionPlanError> {
        let texts = LocalizedTexts::for_language(request.locale.language);
        let given = request.command.arguments.get("task").and_then(JsonValue::as_text).unwrap_or_default();
        let Some(task) = self.find_requested_task(&request).await? else {
            return Err(refusal("NO_TASK", say!(texts, "task-none", task = given)));
        };
        if task.state.is_final() {
            let state = task.state.word();
            return Err(refusal("TASK_OVER", say!(texts, "task-over", task = given, state = state)));
        }
        Ok(ActionPlan { changes: Vec::new(), content: say!(texts, "task-stopping", task = given) })
    }

    async fn describe(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        let texts = LocalizedTexts::for_language(request.locale.language);
        let given = request.command.arguments.get("task").and_then(JsonValue::as_text).unwrap_or_default();
        let says = match self.find_requested_task(&request).await? {
            Some(task) => say!(texts, "task-stop", task = given, command = task.command.as_str()),
            None => say!(texts, "task-none", task = given),
        };
        Ok(ActionDescription { says, ..ActionDescription::default() })
    }
}
