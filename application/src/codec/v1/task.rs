//! Long tasks.

use entracte_domain::command::{self, CommandKind};
use entracte_domain::task as domain;
use entracte_domain::task::{CancelReason, CancelResponse, TaskOutcome, TaskProtocol};
use entracte_domain::time::{Millis, Timestamp};
use serde::{Deserialize, Serialize};

use super::is_default;
use super::leaf::{DueV1, HashV1, JsonTextV1};
use super::shape::{by_hand, shape};
use super::words::WordV1;
use crate::codec::CodecError;
use crate::codec::format_version::FormatVersion1;
use crate::mail::{
    AnswerTaskRequest, CancelTaskRequest, MarkTaskSeenRequest, ReceiveTaskUpdateRequest, TaskRequest,
};
use crate::ports::TaskRow;

/// A task, without the values of its row's columns.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskV1 {
    v: FormatVersion1,
    kind: WordV1<CommandKind>,
    gateway: WordV1<TaskProtocol>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remote: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<TaskResultV1>,
    #[serde(default, rename = "late", skip_serializing_if = "Option::is_none")]
    late_result: Option<TaskResultV1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    progress: Option<(String, i64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    question: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    form: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    contradicted: u32,
    #[serde(default, rename = "dispatched", skip_serializing_if = "Option::is_none")]
    dispatched_at: Option<i64>,
    #[serde(default, rename = "completed", skip_serializing_if = "Option::is_none")]
    completed_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deadline: Option<DueV1>,
    #[serde(default, rename = "asked_last", skip_serializing_if = "is_default")]
    is_asked_last: bool,
    /// The deadline, and the preceding pause in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    poll: Option<(DueV1, i64)>,
    #[serde(default, skip_serializing_if = "is_default")]
    gone: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cancel: Option<CancelV1>,
    #[serde(default, rename = "delivered", skip_serializing_if = "is_default")]
    is_delivered: bool,
    #[serde(default, rename = "seen", skip_serializing_if = "Option::is_none")]
    seen_by: Option<String>,
}

impl From<&domain::Task> for TaskV1 {
    fn from(task: &domain::Task) -> Self {
        let domain::Task {
            id: _,
            session: _,
            call: _,
            command: _,
            kind,
            gateway,
            state: _,
            remote,
            result,
            late_result,
            progress,
            question,
            form,
            answer,
            contradicted,
            created_at: _,
            dispatched_at,
            completed_at,
            deadline,
            is_asked_last,
            poll,
            gone,
            cancel,
            is_delivered,
            seen_by,
        } = task;
        Self {
            v: FormatVersion1,
            kind: kind.into(),
            gateway: gateway.into(),
            remote: remote.clone(),
            result: result.as_ref().map(Into::into),
            late_result: late_result.as_ref().map(Into::into),
            progress: progress.as_ref().map(|progress| (progress.text.clone(), progress.at.0)),
            question: question.clone(),
            form: form.clone(),
            answer: answer.clone(),
            contradicted: *contradicted,
            dispatched_at: dispatched_at.map(|at| at.0),
            completed_at: completed_at.map(|at| at.0),
            deadline: deadline.as_ref().map(Into::into),
            is_asked_last: *is_asked_last,
            poll: poll.as_ref().map(|poll| ((&poll.next).into(), poll.pause.0)),
            gone: *gone,
            cancel: cancel.as_ref().map(Into::into),
            is_delivered: *is_delivered,
            seen_by: seen_by.clone(),
        }
    }
}

impl TaskV1 {
    /// Combines the body with the values of the row's columns.
    pub(crate) fn into_domain(self, row: &TaskRow) -> Result<domain::Task, CodecError> {
        Ok(domain::Task {
            id: row.id.clone(),
            session: row.session.clone(),
            call: row.call.clone(),
            command: row.command.clone(),
            kind: self.kind.0,
            gateway: self.gateway.0,
            state: row.state,
            remote: self.remote,
            result: self.result.map(Into::into),
            late_result: self.late_result.map(Into::into),
            progress: self.progress.map(|(text, at)| domain::TaskProgress { text, at: Timestamp(at) }),
            question: self.question,
            form: self.form,
            answer: self.answer,
            contradicted: self.contradicted,
            created_at: row.created_at,
            dispatched_at: self.dispatched_at.map(Timestamp),
            completed_at: self.completed_at.map(Timestamp),
            deadline: self.deadline.map(Into::into),
            is_asked_last: self.is_asked_last,
            poll: self.poll.map(|(next, pause)| domain::TaskPoll { next: next.into(), pause: Millis(pause) }),
            gone: self.gone,
            cancel: self.cancel.map(Into::into),
            is_delivered: self.is_delivered,
            seen_by: self.seen_by,
        })
    }
}

shape! {
    struct TaskResultV1 = domain::TaskResult {
        outcome: WordV1<TaskOutcome>,
        content: JsonTextV1,
        digest: HashV1,
        at: i64,
    }
}

shape! {
    struct CancelV1 = domain::TaskCancellation {
        why: WordV1<CancelReason>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        author: Option<String>,
        at: i64,
        until: DueV1,
        #[serde(default, rename = "sent", skip_serializing_if = "is_default")]
        is_sent: bool,
        #[serde(default, rename = "confirmed", skip_serializing_if = "is_default")]
        is_confirmed: bool,
    }
}

shape! {
    /// The task of a call; `certain` if its row exists from the start of the call.
    pub(super) struct TaskOfCallV1 = command::CallTask {
        id: String,
        #[serde(default, rename = "certain", skip_serializing_if = "is_default")]
        is_registered: bool,
    }
}

shape! {
    #[derive(Default, PartialEq)]
    pub(super) struct TaskHandleV1 = domain::TaskHandle {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remote: Option<String>,
        #[serde(default, rename = "poll_after_ms", skip_serializing_if = "Option::is_none")]
        poll_after: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<i64>,
    }
}

/// An update about a task in the mail store.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum ArrivalV1 {
    Accepted(TaskHandleV1),
    DoneAtOnce {
        outcome: WordV1<TaskOutcome>,
        content: JsonTextV1,
        digest: HashV1,
        at: i64,
    },
    NotBegun,
    DeniedByPerson,
    Progress {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<i64>,
        #[serde(default, rename = "poll_after_ms", skip_serializing_if = "Option::is_none")]
        poll_after: Option<i64>,
    },
    Asks {
        question: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        form: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remote: Option<String>,
    },
    Answered {
        answer: String,
    },
    AnswerTaken,
    /// An accepted answer after which the handle or the pauses are other ones.
    AnswerTakenAs(TaskHandleV1),
    AnswerRefused,
    Final {
        outcome: WordV1<TaskOutcome>,
        content: JsonTextV1,
        digest: HashV1,
    },
    Gone,
    Unreachable,
    DeadlineReached,
    CancelAsked {
        why: WordV1<CancelReason>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        author: Option<String>,
    },
    CancelAnswered(WordV1<CancelResponse>),
    CancelUnanswered,
}

by_hand!(ArrivalV1 = domain::TaskUpdate);

impl From<&domain::TaskUpdate> for ArrivalV1 {
    fn from(arrival: &domain::TaskUpdate) -> Self {
        use domain::TaskUpdate as Domain;
        match arrival {
            Domain::Accepted(handle) => Self::Accepted(handle.into()),
            Domain::DoneAtOnce(domain::TaskResult { outcome, content, digest, at }) => Self::DoneAtOnce {
                outcome: outcome.into(),
                content: content.into(),
                digest: digest.into(),
                at: at.0,
            },
            Domain::NotBegun => Self::NotBegun,
            Domain::DeniedByPerson => Self::DeniedByPerson,
            Domain::Progress { text, at, poll_after } => Self::Progress {
                text: text.clone(),
                at: at.map(|at| at.0),
                poll_after: poll_after.map(|pause| pause.0),
            },
            Domain::Asks { question, form, remote } => {
                Self::Asks { question: question.clone(), form: form.clone(), remote: remote.clone() }
            }
            Domain::Answered { answer } => Self::Answered { answer: answer.clone() },
            Domain::AnswerTaken { remote: None, poll_after: None } => Self::AnswerTaken,
            Domain::AnswerTaken { remote, poll_after } => Self::AnswerTakenAs(TaskHandleV1 {
                remote: remote.clone(),
                poll_after: poll_after.map(|pause| pause.0),
                until: None,
            }),
            Domain::AnswerRefused => Self::AnswerRefused,
            Domain::Final { outcome, content, digest } => {
                Self::Final { outcome: outcome.into(), content: content.into(), digest: digest.into() }
            }
            Domain::Gone => Self::Gone,
            Domain::Unreachable => Self::Unreachable,
            Domain::DeadlineReached => Self::DeadlineReached,
            Domain::CancelAsked { why, author } => {
                Self::CancelAsked { why: why.into(), author: author.clone() }
            }
            Domain::CancelAnswered(answer) => Self::CancelAnswered(answer.into()),
            Domain::CancelUnanswered => Self::CancelUnanswered,
        }
    }
}

impl From<ArrivalV1> for domain::TaskUpdate {
    fn from(arrival: ArrivalV1) -> Self {
        match arrival {
            ArrivalV1::Accepted(handle) => Self::Accepted(handle.into()),
            ArrivalV1::DoneAtOnce { outcome, content, digest, at } => Self::DoneAtOnce(domain::TaskResult {
                outcome: outcome.0,
                content: content.0,
                digest: digest.into(),
                at: Timestamp(at),
            }),
            ArrivalV1::NotBegun => Self::NotBegun,
            ArrivalV1::DeniedByPerson => Self::DeniedByPerson,
            ArrivalV1::Progress { text, at, poll_after } => {
                Self::Progress { text, at: at.map(Timestamp), poll_after: poll_after.map(Millis) }
            }
            ArrivalV1::Asks { question, form, remote } => Self::Asks { question, form, remote },
            ArrivalV1::Answered { answer } => Self::Answered { answer },
            ArrivalV1::AnswerTaken => Self::answer_taken(),
            ArrivalV1::AnswerTakenAs(handle) => {
                Self::AnswerTaken { remote: handle.remote, poll_after: handle.poll_after.map(Millis) }
            }
            ArrivalV1::AnswerRefused => Self::AnswerRefused,
            ArrivalV1::Final { outcome, content, digest } => {
                Self::Final { outcome: outcome.0, content: content.0, digest: digest.into() }
            }
            ArrivalV1::Gone => Self::Gone,
            ArrivalV1::Unreachable => Self::Unreachable,
            ArrivalV1::DeadlineReached => Self::DeadlineReached,
            ArrivalV1::CancelAsked { why, author } => Self::CancelAsked { why: why.0, author },
            ArrivalV1::CancelAnswered(answer) => Self::CancelAnswered(answer.0),
            ArrivalV1::CancelUnanswered => Self::CancelUnanswered,
        }
    }
}

shape! {
    #[serde(rename_all = "snake_case")]
    pub(super) enum TaskMailV1 = TaskRequest {
        #[serde(rename = "arrived")]
        ReceiveUpdate(request: ReceiveTaskUpdateV1),
        Cancel(request: CancelTaskV1),
        #[serde(rename = "answer")]
        AnswerQuestion(request: AnswerTaskV1),
        #[serde(rename = "seen")]
        MarkNoticeSeen(request: MarkTaskSeenV1),
    }
}

shape! {
    pub(super) struct ReceiveTaskUpdateV1 = ReceiveTaskUpdateRequest {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        webhook_id: Option<String>,
        arrival: ArrivalV1,
    }
}

shape! {
    pub(super) struct CancelTaskV1 = CancelTaskRequest {
        author: String,
    }
}

shape! {
    pub(super) struct AnswerTaskV1 = AnswerTaskRequest {
        author: String,
        answer: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<String>,
    }
}

shape! {
    pub(super) struct MarkTaskSeenV1 = MarkTaskSeenRequest {
        author: String,
    }
}
