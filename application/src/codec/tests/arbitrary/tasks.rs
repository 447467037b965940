//! Strategies for long tasks and their updates.

use entracte_domain::command::CallTask;
use entracte_domain::task::{
    CancelReason, CancelResponse, TaskHandle, TaskOutcome, TaskResult, TaskUpdate, TaskUpdateVerdict,
};
use entracte_domain::time::Millis;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

use super::scalars::*;
use crate::mail::{
    AnswerTaskRequest, CancelTaskRequest, MarkTaskSeenRequest, ReceiveTaskUpdateRequest, TaskRequest,
};

fn span() -> impl Strategy<Value = Millis> {
    any::<i64>().prop_map(Millis)
}

pub(super) fn task_outcome() -> impl Strategy<Value = TaskOutcome> {
    select(TaskOutcome::ALL.to_vec())
}

pub(super) fn verdict() -> impl Strategy<Value = TaskUpdateVerdict> {
    select(TaskUpdateVerdict::ALL.to_vec())
}

pub(super) fn task_of_call() -> BoxedStrategy<CallTask> {
    (task_id(), any::<bool>()).prop_map(|(id, is_registered)| CallTask { id, is_registered }).boxed()
}

pub(super) fn task_handle() -> BoxedStrategy<TaskHandle> {
    (some(text()), some(span()), some(time()))
        .prop_map(|(remote, poll_after, until)| TaskHandle { remote, poll_after, until })
        .boxed()
}

fn arrival() -> impl Strategy<Value = TaskUpdate> {
    let ended = || (task_outcome(), text(), digest());
    prop_oneof![
        task_handle().prop_map(TaskUpdate::Accepted),
        (ended(), time()).prop_map(|((outcome, content, digest), at)| TaskUpdate::DoneAtOnce(TaskResult {
            outcome,
            content,
            digest,
            at
        })),
        (text(), some(time()), some(span())).prop_map(|(text, at, poll_after)| TaskUpdate::Progress {
            text,
            at,
            poll_after
        }),
        (text(), some(text()), some(text())).prop_map(|(question, form, remote)| TaskUpdate::Asks {
            question,
            form,
            remote
        }),
        (some(text()), some(span()))
            .prop_map(|(remote, poll_after)| TaskUpdate::AnswerTaken { remote, poll_after }),
        text().prop_map(|answer| TaskUpdate::Answered { answer }),
        ended().prop_map(|(outcome, content, digest)| TaskUpdate::Final { outcome, content, digest }),
        (select(CancelReason::ALL.to_vec()), some(text()))
            .prop_map(|(why, author)| TaskUpdate::CancelAsked { why, author }),
        select(CancelResponse::ALL.to_vec()).prop_map(TaskUpdate::CancelAnswered),
        select(vec![
            TaskUpdate::NotBegun,
            TaskUpdate::DeniedByPerson,
            TaskUpdate::answer_taken(),
            TaskUpdate::AnswerRefused,
            TaskUpdate::Gone,
            TaskUpdate::Unreachable,
            TaskUpdate::DeadlineReached,
            TaskUpdate::CancelUnanswered,
        ]),
    ]
}

pub(super) fn task_request() -> BoxedStrategy<TaskRequest> {
    prop_oneof![
        (some(text()), arrival()).prop_map(|(webhook_id, arrival)| TaskRequest::from(
            ReceiveTaskUpdateRequest { webhook_id, arrival }
        )),
        text().prop_map(|author| TaskRequest::from(CancelTaskRequest { author })),
        text().prop_map(|author| TaskRequest::from(MarkTaskSeenRequest { author })),
        (text(), text(), of(text())).prop_map(|(author, answer, question)| {
            TaskRequest::from(AnswerTaskRequest { author, answer, question })
        }),
    ]
    .boxed()
}
