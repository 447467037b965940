//! Long tasks: list, show, cancel and answer them, and accept the callbacks of their servers.

mod callback;

use std::sync::Arc;

use entracte_domain::id::{TaskId, WorkspaceKey};
use entracte_domain::task::{Task, TaskUpdateVerdict};

use super::{UseCaseError, missing_answer_error, reject_refusal};
use crate::codec::decode_task;
use crate::mail::{
    AnswerTaskRequest, CancelTaskRequest, Mail, MailAnswer, MailRequest, MarkTaskSeenRequest, TaskRequest,
};
use crate::ports::{MailSender, TaskArrivalRow, TaskFilter, TaskReader};
use crate::system::sha256;
use crate::texts::{LocalizedMessage, saying};

pub use callback::{CallbackError, ReceiveTaskCallback, TaskCallbackPorts};

/// The maximum number of tasks of a workspace in a list: the latest ones.
pub const TASKS_SHOWN: u32 = 500;

use_case! {
    /// Reads long tasks as committed.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut tasks = MockTaskReader::new();
    /// tasks.expect_tasks().returning(|_, _| Ok(Vec::new()));
    /// let read = ReadTasks::new(Arc::new(tasks));
    /// assert_eq!(read.all(&samples::workspace(), TaskFilter::default()).await?, []);
    /// # Ok(()) });
    /// ```
    pub struct ReadTasks reads (tasks: dyn TaskReader)
}

impl ReadTasks {
    /// The tasks of a workspace: open ones first, then latest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn all(&self, workspace: &WorkspaceKey, filter: TaskFilter) -> Result<Vec<Task>, UseCaseError> {
        let rows = self.tasks.tasks(workspace, filter).await?;
        let tasks: Result<Vec<Task>, _> = rows.iter().map(decode_task).collect();
        let mut tasks = tasks?;
        tasks.sort_by_key(|task| task.state.is_final());
        Ok(tasks)
    }

    /// The task with this id prefix, and its arrivals; `tsk_` may be omitted.
    ///
    /// # Errors
    /// When there is none, or more than one, or it cannot be read.
    pub async fn one(
        &self,
        workspace: &WorkspaceKey,
        named: &str,
    ) -> Result<(Task, Vec<TaskArrivalRow>), UseCaseError> {
        let id = if named.starts_with("tsk_") { named.to_owned() } else { format!("tsk_{named}") };
        let row = match self.tasks.task(workspace, &TaskId::new(id.clone())).await? {
            Some(row) => row,
            None => {
                let mut found = self.tasks.tasks(workspace, TaskFilter::default()).await?;
                found.retain(|row| id != "tsk_" && row.id.as_str().starts_with(&id));
                match (found.pop(), found.pop()) {
                    (Some(row), None) => row,
                    (None, _) => {
                        return Err(UseCaseError::NotFound(saying!("request-no-task", task = named).into()));
                    }
                    (Some(one), Some(other)) => {
                        let ids = format!("{}, {}", other.id, one.id);
                        let several = saying!("request-several-tasks", given = named, ids = ids);
                        return Err(UseCaseError::Invalid(several.into()));
                    }
                }
            }
        };
        let arrivals = self.tasks.arrivals(workspace, &row.id).await?;
        Ok((decode_task(&row)?, arrivals))
    }
}

use_case! {
    /// Cancels a long task. Its server receives the request; its answer arrives later.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut mail_sender = MockMailSender::new();
    /// mail_sender.expect_post().returning(|_, _| Ok(MailAnswer::Heard { verdict: TaskUpdateVerdict::Normal }));
    /// let cancel = CancelTask::new(Arc::new(mail_sender));
    /// cancel.run(&samples::workspace(), &TaskId::new("tsk_7"), "ann".into()).await?;
    /// # Ok(()) });
    /// ```
    pub struct CancelTask over (mail_sender: dyn MailSender)
        again "Asked again of a task that was called off, it changes nothing."
}

impl CancelTask {
    /// Cancels the task as `author`.
    ///
    /// # Errors
    /// When there is no such task, it has ended, or the request is not accepted.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
        author: String,
    ) -> Result<TaskUpdateVerdict, UseCaseError> {
        let verdict =
            send_task_request(&*self.mail_sender, workspace, task, CancelTaskRequest { author }).await?;
        reject_past_verdict(verdict, || saying!("task-is-over", task = task.as_str()))
    }
}

use_case! {
    /// Answers the question of a long task.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut mail_sender = MockMailSender::new();
    /// mail_sender.expect_post().returning(|_, _| Ok(MailAnswer::Heard { verdict: TaskUpdateVerdict::Normal }));
    /// let answer = AnswerTaskQuestion::new(Arc::new(mail_sender));
    /// let read = Some("Which account?");
    /// answer.run(&samples::workspace(), &TaskId::new("tsk_7"), "ann".into(), "FR76".into(), read).await?;
    /// # Ok(()) });
    /// ```
    pub struct AnswerTaskQuestion over (mail_sender: dyn MailSender)
        again "Asked again, it is refused where the first answer was taken."
}

impl AnswerTaskQuestion {
    /// Answers as that person, with a text that its server accepts, the question that the person read; `None` answers
    /// whatever is asked.
    ///
    /// # Errors
    /// When there is no such task, it has no open question or asks something else by now, or the request is not accepted.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
        author: String,
        answer: String,
        question: Option<&str>,
    ) -> Result<TaskUpdateVerdict, UseCaseError> {
        let question = question.map(|question| sha256(question.as_bytes()).to_string());
        let request = AnswerTaskRequest { author, answer, question };
        let verdict = send_task_request(&*self.mail_sender, workspace, task, request).await?;
        reject_past_verdict(verdict, || saying!("task-asks-nothing", task = task.as_str()))
    }
}

use_case! {
    /// Records that a person has seen the notice of a task, which removes its item from the inbox of all people.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut mail_sender = MockMailSender::new();
    /// mail_sender.expect_post().returning(|_, _| Ok(MailAnswer::Heard { verdict: TaskUpdateVerdict::Normal }));
    /// let mark = AcknowledgeTask::new(Arc::new(mail_sender));
    /// mark.run(&samples::workspace(), &TaskId::new("tsk_7"), "ann".into()).await?;
    /// # Ok(()) });
    /// ```
    pub struct AcknowledgeTask over (mail_sender: dyn MailSender)
        again "Asked again it changes nothing."
}

impl AcknowledgeTask {
    /// Marks the notice of the task as seen by `author`; a repetition changes nothing.
    ///
    /// # Errors
    /// When there is no such task, it has no notice, or the request is not accepted.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
        author: String,
    ) -> Result<(), UseCaseError> {
        let verdict =
            send_task_request(&*self.mail_sender, workspace, task, MarkTaskSeenRequest { author }).await?;
        reject_past_verdict(verdict, || saying!("task-unseen-none", task = task.as_str())).map(drop)
    }
}

async fn send_task_request(
    mail_sender: &dyn MailSender,
    workspace: &WorkspaceKey,
    task: &TaskId,
    request: impl Into<TaskRequest>,
) -> Result<TaskUpdateVerdict, UseCaseError> {
    let request = MailRequest::task(task.clone(), request);
    heard(mail_sender.post(workspace, Mail::from_request(request)).await?)
}

/// The verdict on the update, or an error if it came too late.
fn reject_past_verdict(
    verdict: TaskUpdateVerdict,
    past: impl FnOnce() -> LocalizedMessage,
) -> Result<TaskUpdateVerdict, UseCaseError> {
    match verdict {
        TaskUpdateVerdict::Past => Err(UseCaseError::Conflict(past().into())),
        TaskUpdateVerdict::Early
        | TaskUpdateVerdict::Normal
        | TaskUpdateVerdict::Progress
        | TaskUpdateVerdict::Duplicate
        | TaskUpdateVerdict::Late
        | TaskUpdateVerdict::Contradictory => Ok(verdict),
    }
}

/// The verdict in the answer to a task update.
fn heard(answer: MailAnswer) -> Result<TaskUpdateVerdict, UseCaseError> {
    match reject_refusal(answer)? {
        MailAnswer::Heard { verdict } => Ok(verdict),
        _ => Err(missing_answer_error()),
    }
}
