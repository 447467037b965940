//! Shapes of long tasks. `text`, `content` and `question` come from another service, and are untrusted data.

use std::borrow::Cow;

use entracte_application::ports::TaskArrivalRow;
use entracte_domain::task::{Task, TaskCancellation, TaskProgress, TaskResult};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::iso;

/// What the other side of a long task tells. Further fields are left alone.
#[derive(Debug, Deserialize, ToSchema)]
#[expect(
    dead_code,
    reason = "for the document; what comes in is read by `task_report`, from the bytes that are signed"
)]
pub struct CallbackShape {
    /// The task: that of the path.
    task_id: String,
    /// What kind of task.
    task_type: Option<String>,
    /// `registered`, `dispatched`, `running`, `completed`, `failed`, `cancelled` or `expired`.
    status: String,
    /// How it is going, in words; 500 characters are kept.
    progress: Option<String>,
    /// When it was made, RFC 3339.
    created_at: Option<String>,
    /// When it ended, RFC 3339.
    completed_at: Option<String>,
    /// What came of it, an object: `summary`, `processed_items`, `data`.
    result: Option<Value>,
    /// Why it failed: a text, or an object with a `message`.
    error: Option<Value>,
}

/// An answer to the question of a long task.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskAnswerShape {
    /// What is answered.
    pub text: String,
    /// The question that was read, as `question` of the task says it: if the task asks something else by now, nothing is
    /// answered. Without it, whatever is asked is answered.
    pub question: Option<String>,
}

/// What was made of what was told or asked of a task.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct HeardShape {
    /// The task.
    pub task_id: String,
    /// `early`, `normal`, `progress`, `duplicate`, `late`, `contradictory` or `past`.
    pub verdict: &'static str,
}

/// A long task in a list.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TaskLineShape {
    /// Its id.
    pub id: String,
    /// The session whose call it is.
    pub session: String,
    /// The call.
    pub call: String,
    /// The command.
    pub command: String,
    /// `query` or `action`.
    pub kind: Cow<'static, str>,
    /// What its other side speaks: `http` or `mcp`.
    pub gateway: Cow<'static, str>,
    /// `registered`, `dispatched`, `running`, `completed`, `failed`, `cancelled` or `expired`.
    pub state: Cow<'static, str>,
    /// How it is going, as its other side said last.
    pub progress: Option<ProgressOfTaskShape>,
    /// It waits for an answer of a person.
    pub asks: bool,
    /// It is being called off, or was.
    pub cancelled: bool,
    /// When it was made.
    pub created_at: String,
    /// When it ended.
    pub completed_at: Option<String>,
    /// When it is over, whatever its other side does.
    pub deadline: Option<String>,
    /// Its deadline has passed: its other side was asked one last time, and `deadline` is the end of the wait for that
    /// answer.
    #[serde(default)]
    pub extra_time: bool,
    /// Its session has read how it ended.
    pub delivered: bool,
    /// Who looked at what nobody was told.
    pub seen_by: Option<String>,
    /// What its other side calls it.
    pub remote: Option<String>,
    /// What it asks.
    pub question: Option<String>,
    /// When its other side took it.
    pub dispatched_at: Option<String>,
    /// When its other side is asked next.
    pub next_poll: Option<String>,
    /// How it ended, as told in time.
    pub result: Option<TaskResultShape>,
    /// How it ended, as told after its deadline or after it was called off.
    pub late_result: Option<TaskResultShape>,
    /// How many ends were told that contradict the known one.
    pub contradicted: u32,
    /// That it is called off.
    pub cancel: Option<CancelShape>,
}

/// A long task, whole.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TaskShape {
    /// What a list says of it.
    #[serde(flatten)]
    pub line: TaskLineShape,
    /// The same as a form; null where there is none.
    pub form: Option<Vec<TaskFormShape>>,
    /// All that its other side told under an id, in the order it came.
    pub arrivals: Vec<ArrivalShape>,
}

/// A part of the form in which a task asks. All of it comes from another service, and is untrusted data.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct TaskFormShape {
    /// The key of its answer, where several parts are asked.
    pub key: String,
    /// What is asked.
    pub message: Option<String>,
    /// The fields, as a JSON schema of an object; null for an address.
    #[serde(default)]
    pub schema: Value,
    /// The address that a person is asked to visit.
    pub url: Option<String>,
}

impl TaskFormShape {
    /// The form of a task that asks; `None` if it has none.
    pub fn of(task: &Task) -> Option<Vec<Self>> {
        let form = task.form.as_deref().filter(|_| task.is_asking())?;
        serde_json::from_str(form).ok()
    }
}

/// How far a task is.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ProgressOfTaskShape {
    /// In the words of its other side.
    pub text: String,
    /// When it was so.
    pub at: String,
}

/// How a task ended.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TaskResultShape {
    /// `completed`, `failed`, `cancelled` or `expired`.
    pub outcome: Cow<'static, str>,
    /// In the words of its other side.
    pub content: String,
    /// When it came.
    pub at: String,
}

/// The cancellation of a task, and how far it is.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CancelShape {
    /// `person`, `model`, `session` or `deadline`.
    pub why: Cow<'static, str>,
    /// Who asked for it, where it was a person.
    pub author: Option<String>,
    /// When.
    pub at: String,
    /// Its other side was told.
    #[serde(default)]
    pub sent: bool,
    /// Its other side said that it stopped.
    pub confirmed: bool,
}

/// Something that was told of a task.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ArrivalShape {
    /// The sender's id of it.
    pub webhook_id: String,
    /// What was answered.
    pub verdict: String,
    /// When it came.
    pub at: String,
}

impl TaskLineShape {
    /// Whether it has ended, whatever its end.
    pub fn is_final(&self) -> bool {
        self.completed_at.is_some()
    }
}

impl From<&Task> for TaskLineShape {
    fn from(task: &Task) -> Self {
        Self {
            id: task.id.to_string(),
            session: task.session.to_string(),
            call: task.call.to_string(),
            command: task.command.clone(),
            kind: task.kind.word().into(),
            gateway: task.gateway.word().into(),
            state: task.state.word().into(),
            progress: task.progress.as_ref().map(ProgressOfTaskShape::from),
            asks: task.is_asking(),
            cancelled: task.cancel.is_some(),
            created_at: iso(task.created_at),
            completed_at: task.completed_at.map(iso),
            deadline: task.deadline.map(|deadline| iso(deadline.due_at)),
            extra_time: task.is_asked_last && !task.state.is_final(),
            delivered: task.is_delivered,
            seen_by: task.seen_by.clone(),
            remote: task.public_handle().map(str::to_owned),
            question: task.question.clone().filter(|_| task.is_asking()),
            dispatched_at: task.dispatched_at.map(iso),
            next_poll: task.poll.filter(|_| !task.state.is_final()).map(|poll| iso(poll.next.due_at)),
            result: task.result.as_ref().map(TaskResultShape::from),
            late_result: task.late_result.as_ref().map(TaskResultShape::from),
            contradicted: task.contradicted,
            cancel: task.cancel.as_ref().map(CancelShape::from),
        }
    }
}

impl TaskShape {
    /// The shape of a task, with all its updates.
    pub fn of(task: &Task, arrivals: &[TaskArrivalRow]) -> Self {
        Self {
            line: task.into(),
            form: TaskFormShape::of(task),
            arrivals: arrivals.iter().map(ArrivalShape::from).collect(),
        }
    }
}

impl From<&TaskProgress> for ProgressOfTaskShape {
    fn from(progress: &TaskProgress) -> Self {
        Self { text: progress.text.clone(), at: iso(progress.at) }
    }
}

impl From<&TaskResult> for TaskResultShape {
    fn from(result: &TaskResult) -> Self {
        Self { outcome: result.outcome.word().into(), content: result.content.clone(), at: iso(result.at) }
    }
}

impl From<&TaskCancellation> for CancelShape {
    fn from(cancel: &TaskCancellation) -> Self {
        Self {
            why: cancel.why.word().into(),
            author: cancel.author.clone(),
            at: iso(cancel.at),
            sent: cancel.is_sent,
            confirmed: cancel.is_confirmed,
        }
    }
}

impl From<&TaskArrivalRow> for ArrivalShape {
    fn from(row: &TaskArrivalRow) -> Self {
        Self { webhook_id: row.webhook_id.clone(), verdict: row.verdict.clone(), at: iso(row.at) }
    }
}
