//! Long tasks: work that an external service does for a call, and whose end comes later.
//!
//! The row of a task is the truth. Every report about a task, from any source, is a [`TaskUpdate`], and
//! [`apply_update`] alone decides the new row, the reply to the reporter ([`TaskUpdateVerdict`]) and what the session
//! reads ([`TaskCompletion`]).

mod update;
mod work;

pub use update::{TaskUpdateOutcome, apply_update};
pub use work::{CANCEL_WAIT, LAST_ANSWER, POLL_LONGEST, TaskWork};

use crate::command::CommandKind;
use crate::id::{CallId, Digest, SessionId, TaskId};
use crate::time::{Deadline, Millis, Timestamp};

crate::words! {
    /// State of a task: `registered -> dispatched -> running -> completed | failed | cancelled | expired`.
    pub enum TaskState {
        /// The row exists; whether the external service has the task is not known yet.
        Registered = "registered",
        /// The external service accepted it.
        Dispatched = "dispatched",
        /// The external service reported that it works on it.
        Running = "running",
        /// The work was done.
        Completed = "completed",
        /// The work was not done.
        Failed = "failed",
        /// It was cancelled.
        Cancelled = "cancelled",
        /// Its deadline passed, and its outcome is unknown.
        Expired = "expired",
    }
}

crate::words! {
    /// The outcome of a task.
    pub enum TaskOutcome {
        /// The work was done.
        Completed = "completed",
        /// The work was not done.
        Failed = "failed",
        /// It was cancelled.
        Cancelled = "cancelled",
        /// Its deadline passed, and its outcome is unknown.
        Expired = "expired",
    }
}

crate::words! {
    /// Protocol of the external service.
    pub enum TaskProtocol {
        /// The protocol of docs/TASKS.md, over HTTP.
        Http = "http",
        /// Tasks of an MCP server.
        Mcp = "mcp",
        /// Agent2Agent.
        A2a = "a2a",
    }
}

crate::words! {
    /// Why a task is cancelled.
    pub enum CancelReason {
        /// A person requested it.
        Person = "person",
        /// The session's model requested it, with the approval that this needed.
        Model = "model",
        /// The session ended, or its call was abandoned before it was accepted.
        Session = "session",
        /// Its deadline passed.
        Deadline = "deadline",
    }
}

crate::words! {
    /// The reply to the reporter of a task update.
    pub enum TaskUpdateVerdict {
        /// An end that arrived before the external service was known to have the task.
        Early = "early",
        /// The update was applied.
        Normal = "normal",
        /// Progress of a task that has not ended.
        Progress = "progress",
        /// The update was already reported; the first reply holds.
        Duplicate = "duplicate",
        /// An end after the deadline or the cancellation.
        Late = "late",
        /// An end that contradicts the known one.
        Contradictory = "contradictory",
        /// The update changes nothing because the task had ended.
        Past = "past",
    }
}

/// A long task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// Its id, `tsk_` and 128 random bits.
    pub id: TaskId,
    /// The session whose call started the task.
    pub session: SessionId,
    /// The call that started the task.
    pub call: CallId,
    /// Name of the command, `resource.operation`; it selects the executor.
    pub command: String,
    /// Whether the task reads or changes something.
    pub kind: CommandKind,
    /// Protocol of the external service.
    pub gateway: TaskProtocol,
    /// State of the task.
    pub state: TaskState,
    /// Handle at the external service: status URL, or server and id.
    pub remote: Option<String>,
    /// The outcome as reported in time.
    pub result: Option<TaskResult>,
    /// The outcome as reported after the deadline or the cancellation.
    pub late_result: Option<TaskResult>,
    /// Progress as last reported.
    pub progress: Option<TaskProgress>,
    /// Question of the external service before it continues, as received.
    pub question: Option<String>,
    /// The same question as a form, in the format of the gateway; `None` if it has none.
    pub form: Option<String>,
    /// A person's answer to that question, until the external service has it.
    pub answer: Option<String>,
    /// Number of reported ends that contradict the known one.
    pub contradicted: u32,
    /// When the row was created.
    pub created_at: Timestamp,
    /// When the external service was first known to have the task.
    pub dispatched_at: Option<Timestamp>,
    /// When the task ended.
    pub completed_at: Option<Timestamp>,
    /// When the task expires, whatever the external service does; `None` means never.
    pub deadline: Option<Deadline>,
    /// True after the last poll at the deadline was scheduled.
    pub is_asked_last: bool,
    /// Next poll of the external service; `None` if it is not polled.
    pub poll: Option<TaskPoll>,
    /// Number of consecutive polls in which the external service did not know the task.
    pub gone: u32,
    /// Cancellation of the task, if requested.
    pub cancel: Option<TaskCancellation>,
    /// True if the session has read the outcome.
    pub is_delivered: bool,
    /// The person who acknowledged the task's [notice](Task::notice); `None` if none did.
    pub seen_by: Option<String>,
}

/// The call that starts a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskOrigin {
    /// The session of the call.
    pub session: SessionId,
    /// Its id.
    pub call: CallId,
    /// Name of its command, `resource.operation`.
    pub command: String,
    /// Whether the command reads or changes something.
    pub kind: CommandKind,
}

/// The outcome of a task in the external service's words: untrusted data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskResult {
    /// The outcome.
    pub outcome: TaskOutcome,
    /// Content as received.
    pub content: String,
    /// Hash of the content.
    pub digest: Digest,
    /// When it was received.
    pub at: Timestamp,
}

/// Progress of a task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskProgress {
    /// Text of the external service.
    pub text: String,
    /// Instant of the progress: as the service says, else when it was received.
    pub at: Timestamp,
}

/// The next poll of the external service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskPoll {
    /// Instant of the poll.
    pub next: Deadline,
    /// Length of the pause before it.
    pub pause: Millis,
}

/// A cancellation of a task, and its progress.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskCancellation {
    /// Reason of the cancellation.
    pub why: CancelReason,
    /// The person who requested it; `None` if it was not a person.
    pub author: Option<String>,
    /// When it was requested.
    pub at: Timestamp,
    /// How long to wait for an answer before the task counts as cancelled without one.
    pub until: Deadline,
    /// True if the external service was told and its answer is known.
    pub is_sent: bool,
    /// True if the external service confirmed that it stopped.
    pub is_confirmed: bool,
}

/// Handle of a task that has begun, from the executor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TaskHandle {
    /// Status URL, or server and id, used to poll and cancel the task.
    pub remote: Option<String>,
    /// Delay before the first poll; `None` means only once, at the deadline.
    pub poll_after: Option<Millis>,
    /// How long the external service keeps the task; the deadline is no later.
    pub until: Option<Timestamp>,
}

impl TaskHandle {
    /// The beginning of a `remote` that is state of its executor, such as arguments of the call, and no address. It is
    /// shown to nobody.
    pub const PRIVATE_PREFIX: &'static str = "private:";
}

/// A report about a task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TaskUpdate {
    /// From the call: the external service accepted the task.
    Accepted(TaskHandle),
    /// From the call: the work was done at once, and the call's result contains it.
    DoneAtOnce(TaskResult),
    /// From the call: the work was certainly not done, and the call's result says so.
    NotBegun,
    /// A person declares that a call with unknown outcome did not happen.
    DeniedByPerson,
    /// The task reports progress.
    Progress {
        /// Text of the external service; empty if it only reports that it works.
        text: String,
        /// Instant of the progress, as the service says.
        at: Option<Timestamp>,
        /// Delay that the service wants before the next poll.
        poll_after: Option<Millis>,
    },
    /// The task waits for a person's answer.
    Asks {
        /// The question as received.
        question: String,
        /// The question as a form, in the format of the gateway; `None` if it has none.
        form: Option<String>,
        /// The handle from now on; `None` keeps the known one.
        remote: Option<String>,
    },
    /// A person answered the task's question.
    Answered {
        /// The answer in the format of the external service.
        answer: String,
    },
    /// The external service accepted that answer.
    AnswerTaken {
        /// The handle from now on; `None` keeps the known one.
        remote: Option<String>,
        /// Delay before the next poll; `None` continues the present pauses.
        poll_after: Option<Millis>,
    },
    /// The external service refused that answer and asks again.
    AnswerRefused,
    /// The task ended: completed, failed or cancelled.
    Final {
        /// The outcome.
        outcome: TaskOutcome,
        /// Content as received.
        content: String,
        /// Hash of the content.
        digest: Digest,
    },
    /// The external service does not know the task (404, 410; an unknown task in MCP).
    Gone,
    /// The external service could not be reached, or its answer could not be read.
    Unreachable,
    /// The deadline of the task has come.
    DeadlineReached,
    /// A cancellation is requested.
    CancelAsked {
        /// Reason of the cancellation.
        why: CancelReason,
        /// The person who requested it, if any.
        author: Option<String>,
    },
    /// The external service answered the cancellation.
    CancelAnswered(CancelResponse),
    /// The time limit for an answer to the cancellation has passed.
    CancelUnanswered,
}

crate::words! {
    /// The answer of the external service to a cancellation.
    pub enum CancelResponse {
        /// The task stopped.
        Confirmed = "confirmed",
        /// The task will stop.
        Pending = "pending",
        /// Not confirmed: the service refused, is unable to cancel or could not be reached.
        Unconfirmed = "unconfirmed",
    }
}

/// The end of a task, as the session reads it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskCompletion {
    /// The outcome.
    pub outcome: TaskOutcome,
    /// True if it came after the deadline or the cancellation.
    pub is_late: bool,
    /// Text of the external service; empty if there is none.
    pub content: String,
}

crate::words! {
    /// Why a person should look at a task.
    pub enum TaskNotice {
        /// The task waits for a person's answer.
        Asks = "asks",
        /// The external service reported an end that contradicts the known one.
        Contradicted = "contradicted",
        /// The task is an action whose session had already ended, so no model has read the outcome.
        Undelivered = "undelivered",
    }
}

impl TaskState {
    /// Whether the task has ended.
    pub const fn is_final(self) -> bool {
        match self {
            TaskState::Registered | TaskState::Dispatched | TaskState::Running => false,
            TaskState::Completed | TaskState::Failed | TaskState::Cancelled | TaskState::Expired => true,
        }
    }
}

impl TaskUpdate {
    /// The answer was accepted, and neither the handle nor the pauses change.
    pub const fn answer_taken() -> Self {
        Self::AnswerTaken { remote: None, poll_after: None }
    }
}

impl TaskOutcome {
    /// The final state of this outcome.
    pub const fn state(self) -> TaskState {
        match self {
            TaskOutcome::Completed => TaskState::Completed,
            TaskOutcome::Failed => TaskState::Failed,
            TaskOutcome::Cancelled => TaskState::Cancelled,
            TaskOutcome::Expired => TaskState::Expired,
        }
    }
}

impl Task {
    /// Why a person should look at the task, which no session reports; `None` if a person already has. A question stays
    /// until it is answered.
    pub fn notice(&self) -> Option<TaskNotice> {
        if self.is_asking() {
            return Some(TaskNotice::Asks);
        }
        if self.seen_by.is_some() {
            return None;
        }
        if self.contradicted > 0 {
            return Some(TaskNotice::Contradicted);
        }
        let is_called_off = self.state == TaskState::Cancelled && self.is_cancel_confirmed();
        let is_unread = self.state.is_final() && !self.is_delivered && !is_called_off;
        (is_unread && self.kind == CommandKind::Action).then_some(TaskNotice::Undelivered)
    }

    /// Marks the notice as seen by a person, and returns the verdict of that.
    pub fn mark_seen_by(&mut self, author: &str) -> TaskUpdateVerdict {
        match (self.notice(), self.seen_by.is_some()) {
            (Some(TaskNotice::Contradicted | TaskNotice::Undelivered), _) => {
                self.seen_by = Some(author.to_owned());
                TaskUpdateVerdict::Normal
            }
            (Some(TaskNotice::Asks) | None, true) => TaskUpdateVerdict::Duplicate,
            (Some(TaskNotice::Asks) | None, false) => TaskUpdateVerdict::Past,
        }
    }

    /// The handle as people may read it; `None` for a handle that is the executor's own state.
    pub fn public_handle(&self) -> Option<&str> {
        self.remote.as_deref().filter(|remote| !remote.starts_with(TaskHandle::PRIVATE_PREFIX))
    }

    /// Whether the task waits for a person's answer.
    pub fn is_asking(&self) -> bool {
        self.question.is_some() && self.answer.is_none() && !self.state.is_final()
    }

    /// The row of a task whose call starts.
    pub fn register(
        id: TaskId,
        origin: TaskOrigin,
        gateway: TaskProtocol,
        deadline: Option<Deadline>,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            session: origin.session,
            call: origin.call,
            command: origin.command,
            kind: origin.kind,
            gateway,
            state: TaskState::Registered,
            remote: None,
            result: None,
            late_result: None,
            progress: None,
            question: None,
            form: None,
            answer: None,
            contradicted: 0,
            created_at: now,
            dispatched_at: None,
            completed_at: None,
            deadline,
            is_asked_last: false,
            poll: None,
            gone: 0,
            cancel: None,
            is_delivered: false,
            seen_by: None,
        }
    }

    /// Whether the external service confirmed the cancellation.
    pub fn is_cancel_confirmed(&self) -> bool {
        self.cancel.as_ref().is_some_and(|cancel| cancel.is_confirmed)
    }
}
