use entracte_application::ports::TaskArrivalRow;
use entracte_domain::task::{Task, TaskResult};
use serde::Serialize;

use crate::render::time::iso;

/// `entracte.tasks/1`: long tasks.
#[derive(Serialize)]
pub(crate) struct TasksObject {
    schema: &'static str,
    tasks: Vec<TaskObject>,
}

/// `entracte.task/1`: one long task. The texts in `progress`, `question` and results come from another service.
#[derive(Serialize)]
pub(crate) struct TaskObject {
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<&'static str>,
    id: String,
    session: String,
    call: String,
    command: String,
    kind: &'static str,
    gateway: &'static str,
    state: &'static str,
    remote: Option<String>,
    progress: Option<TaskProgressObject>,
    /// Its open question.
    question: Option<String>,
    cancel: Option<TaskCancelObject>,
    result: Option<TaskResultObject>,
    late_result: Option<TaskResultObject>,
    contradicted: u32,
    created_at: String,
    dispatched_at: Option<String>,
    completed_at: Option<String>,
    deadline: Option<String>,
    next_poll: Option<String>,
    delivered: bool,
    /// The person who marked the unnotified end as seen.
    seen_by: Option<String>,
    /// All reports of the task server; only for a single task.
    #[serde(skip_serializing_if = "Option::is_none")]
    arrivals: Option<Vec<CallbackArrivalObject>>,
}

#[derive(Serialize)]
struct TaskProgressObject {
    text: String,
    at: String,
}

#[derive(Serialize)]
struct TaskCancelObject {
    why: &'static str,
    author: Option<String>,
    at: String,
    sent: bool,
    confirmed: bool,
}

#[derive(Serialize)]
struct TaskResultObject {
    outcome: &'static str,
    content: String,
    at: String,
}

#[derive(Serialize)]
struct CallbackArrivalObject {
    webhook_id: String,
    verdict: String,
    at: String,
}

impl TasksObject {
    /// These tasks.
    pub(crate) fn new(tasks: &[Task]) -> Self {
        Self { schema: "entracte.tasks/1", tasks: tasks.iter().map(TaskObject::in_list).collect() }
    }
}

impl TaskObject {
    /// A single task with all its reports.
    pub(crate) fn single(task: &Task, arrivals: &[TaskArrivalRow]) -> Self {
        let arrival = |row: &TaskArrivalRow| CallbackArrivalObject {
            webhook_id: row.webhook_id.clone(),
            verdict: row.verdict.clone(),
            at: iso(row.at),
        };
        let arrivals = Some(arrivals.iter().map(arrival).collect());
        Self { schema: Some("entracte.task/1"), arrivals, ..Self::in_list(task) }
    }

    fn in_list(task: &Task) -> Self {
        let result = |result: &TaskResult| TaskResultObject {
            outcome: result.outcome.word(),
            content: result.content.clone(),
            at: iso(result.at),
        };
        let progress = task.progress.as_ref();
        let cancel = task.cancel.as_ref();
        Self {
            schema: None,
            id: task.id.to_string(),
            session: task.session.to_string(),
            call: task.call.to_string(),
            command: task.command.clone(),
            kind: task.kind.word(),
            gateway: task.gateway.word(),
            state: task.state.word(),
            remote: task.public_handle().map(str::to_owned),
            progress: progress.map(|said| TaskProgressObject { text: said.text.clone(), at: iso(said.at) }),
            question: task.question.clone().filter(|_| task.is_asking()),
            cancel: cancel.map(|cancel| TaskCancelObject {
                why: cancel.why.word(),
                author: cancel.author.clone(),
                at: iso(cancel.at),
                sent: cancel.is_sent,
                confirmed: cancel.is_confirmed,
            }),
            result: task.result.as_ref().map(result),
            late_result: task.late_result.as_ref().map(result),
            contradicted: task.contradicted,
            created_at: iso(task.created_at),
            dispatched_at: task.dispatched_at.map(iso),
            completed_at: task.completed_at.map(iso),
            deadline: task.deadline.map(|deadline| iso(deadline.due_at)),
            next_poll: task.poll.filter(|_| !task.state.is_final()).map(|poll| iso(poll.next.due_at)),
            delivered: task.is_delivered,
            seen_by: task.seen_by.clone(),
            arrivals: None,
        }
    }
}
