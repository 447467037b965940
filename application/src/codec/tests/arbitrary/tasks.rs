//! Long tasks, and what is heard of them.

use entracte_domain::command::TaskOfCall;
use entracte_domain::task::{Arrival, CancelAnswer, CancelWhy, TaskHandle, TaskOutcome, TaskResult, Verdict};
use entracte_domain::time::Millis;
use proptest::prelude::*;
use proptest::sample::select;

use super::leaves::*;
use crate::mail::TaskMail;

fn span() -> impl Strategy<Value = Millis> {
    any::<i64>().prop_map(Millis)
}

pub(super) fn task_outcome() -> impl Strategy<Value = TaskOutcome> {
    select(TaskOutcome::ALL.to_vec())
}

pub(super) fn verdict() -> impl Strategy<Value = Verdict> {
    select(Verdict::ALL.to_vec())
}

pub(super) fn task_of_call() -> BoxedStrategy<TaskOfCall> {
    (task_id(), any::<bool>()).prop_map(|(id, is_registered)| TaskOfCall { id, is_registered }).boxed()
}

pub(super) fn task_handle() -> BoxedStrategy<TaskHandle> {
    (some(text()), some(span()), some(time()))
        .prop_map(|(remote, poll_after, until)| TaskHandle { remote, poll_after, until })
        .boxed()
}

fn arrival() -> impl Strategy<Value = Arrival> {
    let ended = || (task_outcome(), text(), digest());
    prop_oneof![
        task_handle().prop_map(Arrival::Accepted),
        (ended(), time()).prop_map(|((outcome, content, digest), at)| Arrival::DoneAtOnce(TaskResult {
            outcome,
            content,
            digest,
            at
        })),
        (text(), some(time()), some(span())).prop_map(|(text, at, poll_after)| Arrival::Progress {
            text,
            at,
            poll_after
        }),
        text().prop_map(|question| Arrival::Asks { question }),
        text().prop_map(|answer| Arrival::Answered { answer }),
        ended().prop_map(|(outcome, content, digest)| Arrival::Final { outcome, content, digest }),
        (select(CancelWhy::ALL.to_vec()), some(text()))
            .prop_map(|(why, author)| Arrival::CancelAsked { why, author }),
        select(CancelAnswer::ALL.to_vec()).prop_map(Arrival::CancelAnswered),
        select(vec![
            Arrival::NotBegun,
            Arrival::DeniedByPerson,
            Arrival::AnswerTaken,
            Arrival::AnswerRefused,
            Arrival::Gone,
            Arrival::Unreachable,
            Arrival::DeadlineReached,
            Arrival::CancelUnanswered,
        ]),
    ]
}

pub(super) fn task_mail() -> BoxedStrategy<TaskMail> {
    prop_oneof![
        (some(text()), arrival()).prop_map(|(webhook_id, arrival)| TaskMail::Arrived { webhook_id, arrival }),
        text().prop_map(|author| TaskMail::Cancel { author }),
        text().prop_map(|author| TaskMail::Seen { author }),
        (text(), text()).prop_map(|(author, answer)| TaskMail::Answer { author, answer }),
    ]
    .boxed()
}
