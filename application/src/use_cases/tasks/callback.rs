//! What the other side of a long task tells at its callback: nothing of it is true before its signature is.

use std::sync::Arc;

use entracte_domain::id::TaskId;
use entracte_domain::task::{TaskProtocol, TaskUpdate, TaskUpdateVerdict};
use entracte_domain::time::Timestamp;

use super::send_task_mail;
use crate::codec::decode_task;
use crate::mail::TaskMail;
use crate::planted_bugs::{PlantedBug, is_planted};
use crate::ports::{CallbackVerifier, Clock, MailSender, SecretScrubberFactory, SignedMessage, TaskReader};
use crate::system::sha256;
use crate::task_report::{ReportFault, TaskReport};
use crate::use_cases::UseCaseError;

/// The most characters of the id of a message.
const ID_MAX: usize = 200;

/// Why what was told is not taken in.
#[derive(Debug, thiserror::Error)]
pub enum CallbackError {
    /// Nobody who may tell it told it. Whoever asks learns no more, not even whether there is such a task.
    #[error("the callback is not proved")]
    Forged,
    /// It is proved, and says nothing that can be read.
    #[error("{0}")]
    Unread(ReportFault),
    /// It is proved and readable, and was not taken in.
    #[error(transparent)]
    Refused(#[from] UseCaseError),
}

/// What callbacks are taken in with.
#[derive(Clone)]
pub struct TaskCallbackPorts {
    /// The tasks.
    pub tasks: Arc<dyn TaskReader>,
    /// Proves who tells.
    pub proof: Arc<dyn CallbackVerifier>,
    /// The secrets that no model must read.
    pub secrets: Arc<dyn SecretScrubberFactory>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The way in.
    pub mail_sender: Arc<dyn MailSender>,
}

use_case! {
    /// Takes in what the other side of a long task tells, however often it does.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let (mut tasks, mut proof) = (MockTaskReader::new(), MockCallbackVerifier::new());
    /// tasks.expect_locate().returning(|_| Ok(None));
    /// proof.expect_proves().returning(|_, _, _| false);
    /// let take = TakeCallback::new(CallbackPorts {
    ///     tasks: Arc::new(tasks),
    ///     proof: Arc::new(proof),
    ///     secrets: Arc::new(NoSecrets),
    ///     clock: Arc::new(SystemClock),
    ///     mail_sender: Arc::new(MockMailSender::new()),
    /// });
    /// let message = SignedMessage { id: "msg_1".into(), timestamp: "0".into(), signature: "".into(), body: vec![] };
    /// assert!(matches!(take.run(&TaskId::new("tsk_nobody"), message).await, Err(Uncalled::Forged)));
    /// # Ok(()) });
    /// ```
    pub struct ReceiveTaskCallback with (ports: TaskCallbackPorts)
        again "Its sender tells it again under the same id, and what was taken in is answered as known."
}

impl ReceiveTaskCallback {
    /// Takes a message about the task of its path in.
    ///
    /// # Errors
    /// [`CallbackError::Forged`] for everything that is not proved, a task that does not exist and a body about another task among
    /// it; [`CallbackError::Unread`] and [`CallbackError::Refused`] for what its sender should know.
    pub async fn run(
        &self,
        task: &TaskId,
        message: SignedMessage,
    ) -> Result<TaskUpdateVerdict, CallbackError> {
        let row = self.ports.tasks.task_in_any_workspace(task).await.map_err(UseCaseError::from)?;
        let found = row.as_ref().and_then(|row| Some((row, decode_task(row).ok()?)));
        let found = found.filter(|(_, task)| task.gateway == TaskProtocol::Http);
        let command = found.as_ref().map(|(_, task)| task.command.clone());
        let is_proved = self.ports.proof.verify(command, &message, self.ports.clock.now());
        let is_proved = is_proved || is_planted(PlantedBug::AnyCallback);
        let Some((row, _)) = found.filter(|_| is_proved && is_id(&message.id)) else {
            return Err(CallbackError::Forged);
        };
        let report = TaskReport::parse(&message.body).map_err(CallbackError::Unread)?;
        match &report.task {
            Some(named) if named == task.as_str() => {}
            Some(_) => return Err(CallbackError::Forged),
            None => {
                let says = "it is missing".to_owned();
                return Err(CallbackError::Unread(ReportFault::Field { path: "task_id", says }));
            }
        }
        let at = message.timestamp.parse::<i64>().ok().and_then(|seconds| seconds.checked_mul(1_000_000));
        let arrival = self.scrub_arrival(report.arrival(at.map(Timestamp)));
        let mail = TaskMail::Arrived { webhook_id: Some(message.id), arrival };
        Ok(send_task_mail(&*self.ports.mail_sender, &row.workspace, task, mail).await?)
    }

    /// Without the secrets that the other side may repeat.
    fn scrub_arrival(&self, arrival: TaskUpdate) -> TaskUpdate {
        // A task server is given no secret of a person.
        let scrubber = self.ports.secrets.scrubber(&[]);
        match arrival {
            TaskUpdate::Final { outcome, content, .. } => {
                let content = scrubber.scrub_text(&content);
                TaskUpdate::Final { outcome, digest: sha256(content.as_bytes()), content }
            }
            TaskUpdate::Progress { text, at, poll_after } => {
                TaskUpdate::Progress { text: scrubber.scrub_text(&text), at, poll_after }
            }
            other => other,
        }
    }
}

/// What an id of a message may be: it stands in rows and logs.
fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= ID_MAX && id.bytes().all(|byte| byte.is_ascii_graphic())
}
