//! Long tasks, for people: which there are, how one stands, that one is called off or answered; and what its other side tells.

mod callback;

use std::sync::Arc;

use entracte_domain::id::{TaskId, WorkspaceKey};
use entracte_domain::task::{Task, TaskUpdateVerdict};

use super::{UseCaseError, missing_answer_error, reject_refusal};
use crate::codec::decode_task;
use crate::mail::{Mail, MailAnswer, MailRequest, TaskMail};
use crate::ports::{MailSender, TaskArrivalRow, TaskFilter, TaskReader};
use crate::texts::{LocalizedMessage, saying};

pub use callback::{CallbackError, ReceiveTaskCallback, TaskCallbackPorts};

/// The most tasks of a workspace that a list has: the latest.
pub const TASKS_SHOWN: u32 = 500;

use_case! {
    /// Reads long tasks, as they were committed.
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
    /// Those of a workspace: the open ones first, then the latest first.
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

    /// The task whose id begins so, and all that its other side told under an id; `tsk_` may be left out.
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
    /// Calls a long task off. Its other side is told, and what it answers is heard later.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut mail_sender = MockMailSender::new();
    /// mail_sender.expect_post().returning(|_, _| Ok(MailAnswer::Heard { verdict: Verdict::Normal }));
    /// let cancel = CancelTask::new(Arc::new(mail_sender));
    /// cancel.run(&samples::workspace(), &TaskId::new("tsk_7"), "ann".into()).await?;
    /// # Ok(()) });
    /// ```
    pub struct CancelTask over (mail_sender: dyn MailSender)
        again "Asked again of a task that was called off, it changes nothing."
}

impl CancelTask {
    /// Calls the task off as `author`.
    ///
    /// # Errors
    /// When there is no such task, when it has ended, or the request does not get through.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
        author: String,
    ) -> Result<TaskUpdateVerdict, UseCaseError> {
        let verdict =
            send_task_mail(&*self.mail_sender, workspace, task, TaskMail::Cancel { author }).await?;
        reject_past_verdict(verdict, || saying!("task-is-over", task = task.as_str()))
    }
}

use_case! {
    /// Answers what a long task asks.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut mail_sender = MockMailSender::new();
    /// mail_sender.expect_post().returning(|_, _| Ok(MailAnswer::Heard { verdict: Verdict::Normal }));
    /// let answer = AnswerTask::new(Arc::new(mail_sender));
    /// answer.run(&samples::workspace(), &TaskId::new("tsk_7"), ("ann".into(), "FR76".into())).await?;
    /// # Ok(()) });
    /// ```
    pub struct AnswerTaskQuestion over (mail_sender: dyn MailSender)
        again "Asked again, it is refused where the first answer was taken."
}

impl AnswerTaskQuestion {
    /// Answers as that person, in the words that its other side takes.
    ///
    /// # Errors
    /// When there is no such task, when it asks nothing, or the request does not get through.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
        (author, answer): (String, String),
    ) -> Result<TaskUpdateVerdict, UseCaseError> {
        let verdict =
            send_task_mail(&*self.mail_sender, workspace, task, TaskMail::Answer { author, answer }).await?;
        reject_past_verdict(verdict, || saying!("task-asks-nothing", task = task.as_str()))
    }
}

use_case! {
    /// Remembers that a person looked at a task of which nobody else was told: its item leaves the inbox, for everybody.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut mail_sender = MockMailSender::new();
    /// mail_sender.expect_post().returning(|_, _| Ok(MailAnswer::Heard { verdict: Verdict::Normal }));
    /// let mark = MarkTaskSeen::new(Arc::new(mail_sender));
    /// mark.run(&samples::workspace(), &TaskId::new("tsk_7"), "ann".into()).await?;
    /// # Ok(()) });
    /// ```
    pub struct AcknowledgeTask over (mail_sender: dyn MailSender)
        again "Asked again it changes nothing."
}

impl AcknowledgeTask {
    /// Marks what is to be seen of the task as seen by `author`; who comes second changes nothing.
    ///
    /// # Errors
    /// When there is no such task, when there is nothing to see of it, or the request does not get through.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
        author: String,
    ) -> Result<(), UseCaseError> {
        let verdict = send_task_mail(&*self.mail_sender, workspace, task, TaskMail::Seen { author }).await?;
        reject_past_verdict(verdict, || saying!("task-unseen-none", task = task.as_str())).map(drop)
    }
}

async fn send_task_mail(
    mail_sender: &dyn MailSender,
    workspace: &WorkspaceKey,
    task: &TaskId,
    mail: TaskMail,
) -> Result<TaskUpdateVerdict, UseCaseError> {
    let request = MailRequest::Task { task: task.clone(), mail };
    heard(
        mail_sender
            .post(workspace, Mail { session: None, request, receipt: None, may_approve: true })
            .await?,
    )
}

/// What was heard, unless the time for it is over.
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

/// What was answered to what is heard of a task.
fn heard(answer: MailAnswer) -> Result<TaskUpdateVerdict, UseCaseError> {
    match reject_refusal(answer)? {
        MailAnswer::Heard { verdict } => Ok(verdict),
        _ => Err(missing_answer_error()),
    }
}
