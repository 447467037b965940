//! Maps a task server's response to the outcome of a call or to a task update. Pure.

use entracte_application::task_report::{ReportFault, TaskReport};
use entracte_application::texts::{LocalizedTexts, say, saying};
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::id::TaskId;
use entracte_domain::task::{CancelResponse, TaskHandle, TaskOutcome, TaskUpdate};
use entracte_domain::time::Millis;

use super::tool::TaskTool;
use crate::call_outcome::{digest, failure, retryable, succeeded};
use crate::display_text::one_line;
use crate::egress::{EgressError, EgressResponse};
use entracte_application::system::SecretScrubber;

/// The default time until the first poll of a task without callback.
const POLL_AFTER: Millis = Millis::seconds(30);

/// How long a task with callback may be silent before it is polled.
const SILENCE: Millis = Millis::minutes(10);

/// The most characters of an error body that are shown.
const ERROR_MAX_CHARS: usize = 2_000;

/// A dispatched task.
pub(super) struct DispatchedTask<'a> {
    pub(super) tool: &'a TaskTool,
    pub(super) task: &'a TaskId,
    /// Whether the server can call back.
    pub(super) called_back: bool,
    pub(super) scrubber: &'a SecretScrubber,
    pub(super) texts: &'a LocalizedTexts,
}

impl DispatchedTask<'_> {
    /// The outcome of the dispatch request.
    pub(super) fn outcome(&self, sent: Result<EgressResponse, EgressError>) -> CallOutcome {
        match sent {
            Ok(answer) => self.answered(&answer),
            Err(error) => self.unanswered(&error),
        }
    }

    fn answered(&self, answer: &EgressResponse) -> CallOutcome {
        match answer.status {
            200..=299 => self.accepted_outcome(answer),
            300..=399 => {
                let says = say!(self.texts, "tools-task-redirect", status = u32::from(answer.status));
                CallOutcome::Failed(failure("NOT_CALLED", says))
            }
            // The outcome is unknown; a query is dispatched again.
            408 | 429 | 500.. if !self.tool.reads() => lost_outcome(),
            408 | 429 | 500.. => retryable("HTTP_STATUS", self.status(answer)),
            _ => CallOutcome::Failed(failure("HTTP_STATUS", self.status(answer))),
        }
    }

    /// The server accepted the task. An unreadable body does not change that: only a readable report of its end ends
    /// it.
    fn accepted_outcome(&self, answer: &EgressResponse) -> CallOutcome {
        let report = read(answer, self.task).inspect_err(|fault| {
            let (command, task) = (&self.tool.config.name, self.task.as_str());
            tracing::warn!(command, task, %fault, "a task was taken with an answer that cannot be read");
        });
        let report = report.ok();
        let end = report.as_ref().filter(|_| answer.status == 200);
        let end = end.and_then(|report| Some((report.outcome()?, report.content())));
        match end {
            None => self.accepted(report.as_ref()),
            Some((TaskOutcome::Completed, content)) => succeeded(self.scrubber.scrub_owned(content)),
            Some((TaskOutcome::Failed | TaskOutcome::Expired, why)) => {
                self.failed_outcome("TASK_FAILED", why)
            }
            Some((TaskOutcome::Cancelled, why)) => self.failed_outcome("TASK_CANCELLED", why),
        }
    }

    fn accepted(&self, report: Option<&TaskReport>) -> CallOutcome {
        let (tool, task) = (self.tool, self.task);
        let said = report.and_then(|report| report.status_url.as_deref());
        let remote = said.and_then(|said| tool.same_origin_url(said));
        if let (Some(said), None) = (said, &remote) {
            let (command, said) = (&tool.config.name, one_line(said));
            tracing::warn!(command, said, "a status_url on another host is not asked");
        }
        let wait = report.and_then(|report| report.poll_after).unwrap_or(POLL_AFTER);
        let wait = if self.called_back { SILENCE } else { wait };
        // The status address is stored too, for the last poll at the deadline.
        let remote = tool.status_url(task, remote.as_deref());
        CallOutcome::Accepted {
            task: task.clone(),
            content: say!(self.texts, "tools-task-accepted", task = task.as_str()),
            handle: TaskHandle { poll_after: remote.is_some().then_some(wait), remote, until: None },
        }
    }

    fn failed_outcome(&self, code: &str, why: String) -> CallOutcome {
        let why = self.scrubber.scrub_owned(why);
        let why = if why.is_empty() { say!(self.texts, "tools-task-no-reason") } else { why };
        CallOutcome::Failed(failure(code, why))
    }

    fn unanswered(&self, error: &EgressError) -> CallOutcome {
        tracing::warn!(command = self.tool.config.name, %error, "a task got no answer");
        match error {
            // The task was accepted; only the response is too long to read.
            EgressError::TooLarge { status: 200..=299, .. } => self.accepted(None),
            EgressError::TimedOut { sent: true, .. } => CallOutcome::TimedOut,
            error if !self.tool.reads() && error.may_have_been_processed() => lost_outcome(),
            error if error.is_retryable() => retryable("UNREACHABLE", error.message(self.texts)),
            error => CallOutcome::Failed(failure("NOT_CALLED", error.message(self.texts))),
        }
    }

    fn status(&self, answer: &EgressResponse) -> String {
        let body = self.scrubber.scrub_owned(String::from_utf8_lossy(&answer.body).into_owned());
        let body: String = one_line(&body).trim().chars().take(ERROR_MAX_CHARS).collect();
        let mut words = say!(self.texts, "tools-http-status", status = u32::from(answer.status));
        if let Some(when) = answer.header("retry-after") {
            words = say!(self.texts, "tools-http-retry", said = words, when = one_line(when));
        }
        if !body.is_empty() {
            words = say!(self.texts, "tools-http-detail", said = words, detail = body);
        }
        words
    }

    /// Whether the server received the task, from the response to a status request.
    pub(super) fn probe_outcome(&self, sent: Result<EgressResponse, EgressError>) -> CallOutcome {
        let Ok(answer) = sent else { return lost_outcome() };
        match answer.status {
            404 | 410 => {
                CallOutcome::Probed { happened: Some(false), content: String::new(), digest: digest("") }
            }
            // The server has the task: it is followed like an accepted one.
            200..=299 if read(&answer, self.task).is_ok() => self.accepted_outcome(&answer),
            _ => lost_outcome(),
        }
    }
}

fn lost_outcome() -> CallOutcome {
    CallOutcome::Lost { found_by_start: None, lands_by: None }
}

/// A failure before anything was sent.
pub(super) fn unsent_failure(texts: &LocalizedTexts) -> CallFailure {
    failure("NOT_CALLED", say!(texts, "tools-task-unsent"))
}

/// Reads a report about this task.
fn read(answer: &EgressResponse, task: &TaskId) -> Result<TaskReport, ReportFault> {
    let report = TaskReport::parse(&answer.body)?;
    match &report.task {
        Some(named) if named != task.as_str() => {
            Err(ReportFault::Field { path: "task_id", says: saying!("refusal-report-task") })
        }
        Some(_) | None => Ok(report),
    }
}

/// Maps the response to a status request.
pub(super) fn poll_arrival(
    task: &TaskId,
    sent: Result<EgressResponse, EgressError>,
    scrubber: &SecretScrubber,
) -> TaskUpdate {
    let task_id = task.as_str();
    match sent {
        Ok(EgressResponse { status: 404 | 410, .. }) => TaskUpdate::Gone,
        Ok(answer) if (200..300).contains(&answer.status) => match read(&answer, task) {
            Ok(report) => report_arrival(&report, scrubber),
            Err(fault) => {
                tracing::warn!(task = task_id, %fault, "what is said of a task cannot be read");
                TaskUpdate::Unreachable
            }
        },
        Ok(answer) => {
            tracing::warn!(task = task_id, status = answer.status, "a task could not be asked about");
            TaskUpdate::Unreachable
        }
        Err(error) => {
            tracing::warn!(task = task_id, %error, "a task could not be asked about");
            TaskUpdate::Unreachable
        }
    }
}

/// Maps a report, without the secrets that it may repeat.
fn report_arrival(report: &TaskReport, scrubber: &SecretScrubber) -> TaskUpdate {
    match report.arrival(None) {
        TaskUpdate::Final { outcome, content, .. } => {
            let content = scrubber.scrub_owned(content);
            TaskUpdate::Final { outcome, digest: digest(&content), content }
        }
        TaskUpdate::Progress { text, at, poll_after } => {
            TaskUpdate::Progress { text: scrubber.scrub_owned(text), at, poll_after }
        }
        other => other,
    }
}

/// Maps the response to a cancel request.
pub(super) fn cancel_arrival(
    task: &TaskId,
    sent: Result<EgressResponse, EgressError>,
    scrubber: &SecretScrubber,
) -> TaskUpdate {
    let answer = match sent {
        Ok(answer) => answer,
        Err(error) => {
            tracing::warn!(task = task.as_str(), %error, "a task could not be called off");
            return TaskUpdate::CancelAnswered(CancelResponse::Unconfirmed);
        }
    };
    let report = read(&answer, task).ok().filter(|_| answer.status == 200);
    match report.as_ref().map(|report| report_arrival(report, scrubber)) {
        // The task had ended before the cancellation.
        Some(ended @ TaskUpdate::Final { outcome: TaskOutcome::Completed | TaskOutcome::Failed, .. }) => {
            ended
        }
        _ => TaskUpdate::CancelAnswered(match answer.status {
            200 | 204 => CancelResponse::Confirmed,
            202 => CancelResponse::Pending,
            _ => CancelResponse::Unconfirmed,
        }),
    }
}
