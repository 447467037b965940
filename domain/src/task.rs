//! A long task: work that another service does for a call, and whose end comes later.
//!
//! A task's row is the truth. Whatever is heard of a task, from wherever, is an [`TaskUpdate`], and [`arrive`] alone decides
//! what becomes of the row, what whoever told it is answered ([`TaskUpdateVerdict`]), and what the session reads of it ([`TaskCompletion`]).

mod update;
mod work;

pub use update::{TaskUpdateOutcome, apply_update};
pub use work::{CANCEL_WAIT, LAST_ANSWER, POLL_LONGEST, TaskWork};

use crate::command::CommandKind;
use crate::id::{CallId, Digest, SessionId, TaskId};
use crate::time::{Deadline, Millis, Timestamp};

crate::words! {
    /// Where a task stands: `registered -> dispatched -> running -> completed | failed | cancelled | expired`.
    pub enum TaskState {
        /// The row is there; whether the other side has it is not known yet.
        Registered = "registered",
        /// The other side took it.
        Dispatched = "dispatched",
        /// The other side said that it works on it.
        Running = "running",
        /// It was done.
        Completed = "completed",
        /// It was not done.
        Failed = "failed",
        /// It was called off.
        Cancelled = "cancelled",
        /// Its deadline passed, and nobody knows.
        Expired = "expired",
    }
}

crate::words! {
    /// How a task ended.
    pub enum TaskOutcome {
        /// It was done.
        Completed = "completed",
        /// It was not done.
        Failed = "failed",
        /// It was called off.
        Cancelled = "cancelled",
        /// Its deadline passed, and nobody knows.
        Expired = "expired",
    }
}

crate::words! {
    /// What a task's other side speaks.
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
    /// Why a task is to be called off.
    pub enum CancelReason {
        /// A person asked for it.
        Person = "person",
        /// The session's model asked for it, with the approval that this needed.
        Model = "model",
        /// The session ended, or its call was given up before it was accepted.
        Session = "session",
        /// Its deadline passed.
        Deadline = "deadline",
    }
}

crate::words! {
    /// What is answered to whoever told something of a task.
    pub enum TaskUpdateVerdict {
        /// Its end, before its call was known to have reached the other side.
        Early = "early",
        /// It counts.
        Normal = "normal",
        /// How far it is.
        Progress = "progress",
        /// It was told before: the first answer holds.
        Duplicate = "duplicate",
        /// Its end, after its deadline or after it was called off.
        Late = "late",
        /// Another end than the one that is known.
        Contradictory = "contradictory",
        /// It changes nothing: the task had ended.
        Past = "past",
    }
}

/// One long task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// Its id, `tsk_` and 128 random bits.
    pub id: TaskId,
    /// The session whose call it is.
    pub session: SessionId,
    /// The call.
    pub call: CallId,
    /// Name of the command, `resource.operation`: by it the executor is found.
    pub command: String,
    /// Whether it reads or changes something.
    pub kind: CommandKind,
    /// What the other side speaks.
    pub gateway: TaskProtocol,
    /// Where it stands.
    pub state: TaskState,
    /// What the other side calls it: its status URL, or server and id.
    pub remote: Option<String>,
    /// How it ended, as told in time.
    pub result: Option<TaskResult>,
    /// How it ended, as told after its deadline or after it was called off.
    pub late_result: Option<TaskResult>,
    /// How far it is, as told last.
    pub progress: Option<TaskProgress>,
    /// What the other side asks before it goes on, as it was sent.
    pub question: Option<String>,
    /// What a person answered to that, until the other side has it.
    pub answer: Option<String>,
    /// How many ends were told that contradict the known one.
    pub contradicted: u32,
    /// When its row was made.
    pub created_at: Timestamp,
    /// When the other side was known to have it.
    pub dispatched_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// When it is over, whatever the other side does; none: never.
    pub deadline: Option<Deadline>,
    /// It was asked for one last time, because its deadline came.
    pub is_asked_last: bool,
    /// When the other side is asked next how it stands; none where nobody asks.
    pub poll: Option<TaskPoll>,
    /// How many times in a row the other side did not know it.
    pub gone: u32,
    /// That it is to be called off.
    pub cancel: Option<TaskCancellation>,
    /// The session has read how it ended.
    pub is_delivered: bool,
    /// Who looked at [what nobody was told](Task::notice); none where that is still to be done.
    pub seen_by: Option<String>,
}

/// How a task ended, in the words of the other side: data of a stranger.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskResult {
    /// How.
    pub outcome: TaskOutcome,
    /// What it says, as it came.
    pub content: String,
    /// Hash of the content.
    pub digest: Digest,
    /// When it came.
    pub at: Timestamp,
}

/// How far a task is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskProgress {
    /// In the words of the other side.
    pub text: String,
    /// When it was so: as the other side says, else when it came.
    pub at: Timestamp,
}

/// When the other side is asked next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskPoll {
    /// When.
    pub next: Deadline,
    /// How long the pause before it was.
    pub pause: Millis,
}

/// That a task is to be called off, and how far that is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskCancellation {
    /// Why.
    pub why: CancelReason,
    /// The person who asked for it; none where it was no person.
    pub author: Option<String>,
    /// When it was asked for.
    pub at: Timestamp,
    /// How long an answer is waited for before it counts as called off without one.
    pub until: Deadline,
    /// The other side was told, and its answer is known.
    pub is_sent: bool,
    /// The other side said that it stopped.
    pub is_confirmed: bool,
}

/// What an executor says of a task that has begun.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TaskHandle {
    /// What the other side calls it: its status URL, or server and id. It is asked and called off by this.
    pub remote: Option<String>,
    /// After how long it is asked first how it stands; none: never, but once at its deadline.
    pub poll_after: Option<Millis>,
    /// Until when the other side keeps it; the deadline is no later.
    pub until: Option<Timestamp>,
}

/// Something that is heard of a task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TaskUpdate {
    /// Its call: the other side took it.
    Accepted(TaskHandle),
    /// Its call: it was done, and the call's result says so.
    DoneAtOnce(TaskResult),
    /// Its call: it was not done, for certain, and the call's result says so.
    NotBegun,
    /// A person says of a call of unknown outcome that it did not happen.
    DeniedByPerson,
    /// How far it is.
    Progress {
        /// In the words of the other side; empty when it says nothing but that it works.
        text: String,
        /// When it was so, as the other side says.
        at: Option<Timestamp>,
        /// After how long it wants to be asked again.
        poll_after: Option<Millis>,
    },
    /// It waits for an answer of a person.
    Asks {
        /// What is asked, as it came.
        question: String,
    },
    /// A person answered what it asks.
    Answered {
        /// The answer, as the other side wants it.
        answer: String,
    },
    /// The other side took that answer.
    AnswerTaken,
    /// The other side refused it: it asks again.
    AnswerRefused,
    /// It ended: completed, failed or cancelled.
    Final {
        /// How.
        outcome: TaskOutcome,
        /// What it says, as it came.
        content: String,
        /// Hash of the content.
        digest: Digest,
    },
    /// The other side was asked and does not know it (404, 410; an unknown task of MCP).
    Gone,
    /// The other side was asked and could not be reached, or said nothing that can be read.
    Unreachable,
    /// Its deadline has come.
    DeadlineReached,
    /// It is to be called off.
    CancelAsked {
        /// Why.
        why: CancelReason,
        /// The person who asked for it.
        author: Option<String>,
    },
    /// The other side was told to stop, and answered.
    CancelAnswered(CancelResponse),
    /// The time to wait for an answer to that is over.
    CancelUnanswered,
}

crate::words! {
    /// What the other side says when it is told to stop.
    pub enum CancelResponse {
        /// It stopped.
        Confirmed = "confirmed",
        /// It will.
        Pending = "pending",
        /// It did not say so: it refused, cannot, could not be reached.
        Unconfirmed = "unconfirmed",
    }
}

/// What a session reads of a task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskCompletion {
    /// How it ended.
    pub outcome: TaskOutcome,
    /// It came after its deadline, or after it was called off.
    pub is_late: bool,
    /// In the words of the other side; empty where there are none.
    pub content: String,
}

crate::words! {
    /// Why a person should look at a task.
    pub enum TaskNotice {
        /// Its other side told another end than the one that is known.
        Contradicted = "contradicted",
        /// It is an action whose session had ended before: no model has read what came of it.
        Undelivered = "undelivered",
    }
}

impl TaskState {
    /// Whether it has ended.
    pub const fn is_final(self) -> bool {
        match self {
            TaskState::Registered | TaskState::Dispatched | TaskState::Running => false,
            TaskState::Completed | TaskState::Failed | TaskState::Cancelled | TaskState::Expired => true,
        }
    }
}

impl TaskOutcome {
    /// The state of a task that ended so.
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
    /// Why a person should look at it: nobody else was told. None where somebody has.
    pub fn notice(&self) -> Option<TaskNotice> {
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

    /// Somebody looks at it; gives what that changes.
    pub fn mark_seen_by(&mut self, author: &str) -> TaskUpdateVerdict {
        match (self.notice(), self.seen_by.is_some()) {
            (Some(_), _) => {
                self.seen_by = Some(author.to_owned());
                TaskUpdateVerdict::Normal
            }
            (None, true) => TaskUpdateVerdict::Duplicate,
            (None, false) => TaskUpdateVerdict::Past,
        }
    }

    /// Whether it waits for the answer of a person.
    pub fn is_asking(&self) -> bool {
        self.question.is_some() && self.answer.is_none() && !self.state.is_final()
    }

    /// The row of a task whose call starts.
    pub fn register(
        (id, session, call): (TaskId, SessionId, CallId),
        (command, kind, gateway): (&str, CommandKind, TaskProtocol),
        deadline: Option<Deadline>,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            session,
            call,
            command: command.to_owned(),
            kind,
            gateway,
            state: TaskState::Registered,
            remote: None,
            result: None,
            late_result: None,
            progress: None,
            question: None,
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

    /// Whether the other side confirmed that it was called off.
    pub fn is_cancel_confirmed(&self) -> bool {
        self.cancel.as_ref().is_some_and(|cancel| cancel.is_confirmed)
    }
}
