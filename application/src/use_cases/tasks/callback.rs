//! Callbacks of task servers. Nothing in a callback is trusted before its signature is verified.

use std::sync::Arc;

use entracte_domain::id::TaskId;
use entracte_domain::task::{TaskProtocol, TaskUpdate, TaskUpdateVerdict};
use entracte_domain::time::Timestamp;

use super::send_task_request;
use crate::codec::decode_task;
use crate::mail::ReceiveTaskUpdateRequest;
use crate::planted_bugs::{PlantedBug, is_planted};
use crate::ports::{CallbackVerifier, Clock, MailSender, SecretScrubberFactory, SignedMessage, TaskReader};
use crate::system::sha256;
use crate::task_report::{ReportFault, TaskReport};
use crate::texts::saying;
use crate::use_cases::UseCaseError;

/// The maximum number of characters of a message's id.
const ID_MAX: usize = 200;

/// Why a callback was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum CallbackError {
    /// The sender could not be authenticated. The answer reveals nothing else, not even whether the task exists.
    #[error("the callback is not proved")]
    Forged,
    /// The callback is authentic, but its content is invalid.
    #[error("{0}")]
    Unread(ReportFault),
    /// The callback is authentic and valid, but was refused.
    #[error(transparent)]
    Refused(#[from] UseCaseError),
}

/// The ports of callback handling.
#[derive(Clone)]
pub struct TaskCallbackPorts {
    /// Reads the tasks.
    pub tasks: Arc<dyn TaskReader>,
    /// Verifies the sender's signature.
    pub proof: Arc<dyn CallbackVerifier>,
    /// Scrubs secrets that no model may read.
    pub secrets: Arc<dyn SecretScrubberFactory>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// Posts requests.
    pub mail_sender: Arc<dyn MailSender>,
}

use_case! {
    /// Accepts callbacks of a task server; repeated delivery is harmless.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let (mut tasks, mut proof) = (MockTaskReader::new(), MockCallbackVerifier::new());
    /// tasks.expect_task_in_any_workspace().returning(|_| Ok(None));
    /// proof.expect_verify().returning(|_, _, _| false);
    /// let take = ReceiveTaskCallback::new(TaskCallbackPorts {
    ///     tasks: Arc::new(tasks),
    ///     proof: Arc::new(proof),
    ///     secrets: Arc::new(NoopScrubber),
    ///     clock: Arc::new(SystemClock),
    ///     mail_sender: Arc::new(MockMailSender::new()),
    /// });
    /// let message = SignedMessage { id: "msg_1".into(), timestamp: "0".into(), signature: "".into(), body: vec![] };
    /// assert!(matches!(take.run(&TaskId::new("tsk_nobody"), message).await, Err(CallbackError::Forged)));
    /// # Ok(()) });
    /// ```
    pub struct ReceiveTaskCallback with (ports: TaskCallbackPorts)
        again "Its sender tells it again under the same id, and what was taken in is answered as known."
}

impl ReceiveTaskCallback {
    /// Accepts a message about the task in its path.
    ///
    /// # Errors
    /// [`CallbackError::Forged`] for everything that is not authenticated, including unknown tasks and a body about
    /// another task; [`CallbackError::Unread`] and [`CallbackError::Refused`] for faults the sender should know.
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
        let Some((row, known)) = found.filter(|_| is_proved && is_id(&message.id)) else {
            return Err(CallbackError::Forged);
        };
        let report = TaskReport::parse(&message.body).map_err(CallbackError::Unread)?;
        match &report.task {
            Some(named) if named == task.as_str() => {}
            Some(_) => return Err(CallbackError::Forged),
            None => {
                let says = saying!("refusal-report-missing");
                return Err(CallbackError::Unread(ReportFault::Field { path: "task_id", says }));
            }
        }
        self.check_task_type(&known.command, &report)?;
        let at = message.timestamp.parse::<i64>().ok().and_then(|seconds| seconds.checked_mul(1_000_000));
        let arrival = self.scrub_arrival(report.arrival(at.map(Timestamp)));
        let update = ReceiveTaskUpdateRequest { webhook_id: Some(message.id), arrival };
        Ok(send_task_request(&*self.ports.mail_sender, &row.workspace, task, update).await?)
    }

    /// Refuses a report about a task of another type: its server mixes two tasks up.
    fn check_task_type(&self, command: &str, report: &TaskReport) -> Result<(), CallbackError> {
        let Some(told) = &report.task_type else { return Ok(()) };
        match self.ports.proof.task_type(command) {
            Some(known) if known != *told => {
                let says = saying!("refusal-report-type", known = known);
                Err(CallbackError::Unread(ReportFault::Field { path: "task_type", says }))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Scrubs secrets that the task server may repeat.
    fn scrub_arrival(&self, arrival: TaskUpdate) -> TaskUpdate {
        // A task server receives no secret of a person.
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

/// Whether a message id is valid for rows and logs.
fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= ID_MAX && id.bytes().all(|byte| byte.is_ascii_graphic())
}
