//! What becomes of a task when something is heard of it. The two tables of docs/TASKS.md, as a function.

use super::{
    Arrival, CANCEL_WAIT, Cancel, CancelAnswer, CancelWhy, LAST_ANSWER, News, Poll, Progress, Task,
    TaskHandle, TaskOutcome, TaskResult, TaskState, Verdict,
};
use crate::command::CommandKind;
use crate::time::{Deadline, Millis, Timestamp};

/// What becomes of a task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Arrived {
    /// The row from now on.
    pub task: Task,
    /// What whoever told it is answered.
    pub verdict: Verdict,
    /// What the session reads, if anything.
    pub news: Option<News>,
}

/// Takes in what is heard of a task. Pure: the same row, arrival and instant give the same.
pub fn arrive(task: &Task, arrival: &Arrival, now: Timestamp) -> Arrived {
    let mut task = task.clone();
    let (verdict, news) = take_in(&mut task, arrival, now);
    Arrived { task, verdict, news }
}

type Told = (Verdict, Option<News>);

fn take_in(task: &mut Task, arrival: &Arrival, now: Timestamp) -> Told {
    match arrival {
        Arrival::Accepted(handle) => accepted(task, handle, now),
        Arrival::DoneAtOnce(result) => at_once(task, TaskState::Completed, Some(result.clone()), now),
        Arrival::NotBegun => at_once(task, TaskState::Failed, None, now),
        Arrival::DeniedByPerson => match task.state.is_final() {
            true => (Verdict::Past, None),
            false => called_off(task, false, now),
        },
        Arrival::Progress { text, at, poll_after } => progress(task, text, (*at, *poll_after), now),
        Arrival::Asks { question } => match task.state.is_final() {
            true => (Verdict::Past, None),
            false => {
                task.question = Some(question.clone());
                running(task, now);
                task.ask_later(None, now);
                (Verdict::Progress, None)
            }
        },
        Arrival::Answered { answer } => match task.question.is_some() && task.answer.is_none() {
            true => {
                task.answer = Some(answer.clone());
                (Verdict::Normal, None)
            }
            false => (Verdict::Past, None),
        },
        Arrival::AnswerTaken => {
            (task.question, task.answer) = (None, None);
            task.ask_later(None, now);
            (Verdict::Progress, None)
        }
        Arrival::AnswerRefused => {
            task.answer = None;
            (Verdict::Progress, None)
        }
        Arrival::Final { outcome, content, digest } => {
            let (outcome, content, digest) = (*outcome, content.clone(), digest.clone());
            ended(task, TaskResult { outcome, content, digest, at: now })
        }
        Arrival::Gone => gone(task, now),
        Arrival::Unreachable => {
            task.ask_later(None, now);
            (Verdict::Past, None)
        }
        Arrival::DeadlineReached => deadline_reached(task, now),
        Arrival::CancelAsked { why, author } => cancel_asked(task, *why, author.clone(), now),
        Arrival::CancelAnswered(answer) => cancel_answered(task, *answer, now),
        Arrival::CancelUnanswered => match task.is_cancel_over(now) {
            true => called_off(task, false, now),
            false => (Verdict::Past, None),
        },
    }
}

fn accepted(task: &mut Task, handle: &TaskHandle, now: Timestamp) -> Told {
    if task.remote.is_none() {
        task.remote.clone_from(&handle.remote);
    }
    task.dispatched_at.get_or_insert(now);
    if task.state.is_final() {
        return (Verdict::Past, None);
    }
    if task.state == TaskState::Registered {
        task.state = TaskState::Dispatched;
    }
    if let Some(until) = handle.until
        && task.deadline.is_none_or(|deadline| until < deadline.due_at)
    {
        task.deadline = Some(Deadline { armed_at: now, due_at: until });
    }
    if task.poll.is_none()
        && let Some(pause) = handle.poll_after
    {
        task.ask_after(pause, now);
    }
    (Verdict::Normal, None)
}

/// The call's own result says how it ended: the session reads nothing else.
fn at_once(task: &mut Task, state: TaskState, result: Option<TaskResult>, now: Timestamp) -> Told {
    if task.state.is_final() {
        return (Verdict::Past, None);
    }
    end(task, state, now);
    task.result = result;
    task.is_delivered = true;
    (Verdict::Normal, None)
}

fn running(task: &mut Task, now: Timestamp) {
    task.dispatched_at.get_or_insert(now);
    task.state = TaskState::Running;
    task.gone = 0;
}

fn progress(
    task: &mut Task,
    text: &str,
    (at, poll_after): (Option<Timestamp>, Option<Millis>),
    now: Timestamp,
) -> Told {
    if task.state.is_final() {
        return (Verdict::Past, None);
    }
    running(task, now);
    // What is said to be of later than now is of now: a clock that runs ahead must not silence what follows.
    let at = at.map_or(now, |at| at.min(now));
    let is_newer = task.progress.as_ref().is_none_or(|known| at >= known.at);
    if is_newer && !text.is_empty() {
        task.progress = Some(Progress { text: text.to_owned(), at });
    }
    task.ask_later(poll_after, now);
    (Verdict::Progress, None)
}

fn ended(task: &mut Task, result: TaskResult) -> Told {
    if task.state.is_final() {
        return ended_again(task, result);
    }
    let verdict = match task.state {
        TaskState::Registered => Verdict::Early,
        TaskState::Dispatched
        | TaskState::Running
        | TaskState::Completed
        | TaskState::Failed
        | TaskState::Cancelled
        | TaskState::Expired => Verdict::Normal,
    };
    task.dispatched_at.get_or_insert(result.at);
    end(task, result.outcome.state(), result.at);
    if let (TaskOutcome::Cancelled, Some(cancel)) = (result.outcome, &mut task.cancel) {
        cancel.is_confirmed = true;
    }
    let news = News { outcome: result.outcome, is_late: false, content: result.content.clone() };
    task.result = Some(result);
    (verdict, Some(news))
}

/// An end after the end: the same, a late one, or another one.
fn ended_again(task: &mut Task, result: TaskResult) -> Told {
    let is_same = |known: &Option<TaskResult>| {
        known.as_ref().is_some_and(|known| known.outcome == result.outcome && known.digest == result.digest)
    };
    if is_same(&task.result) || is_same(&task.late_result) {
        return (Verdict::Duplicate, None);
    }
    let may_be_late = match task.state {
        TaskState::Expired => task.result.is_none(),
        TaskState::Cancelled => task.result.is_none() && !task.is_cancel_confirmed(),
        TaskState::Registered
        | TaskState::Dispatched
        | TaskState::Running
        | TaskState::Completed
        | TaskState::Failed => false,
    };
    if !may_be_late || task.late_result.is_some() {
        task.contradicted = task.contradicted.saturating_add(1);
        task.seen_by = None;
        return (Verdict::Contradictory, None);
    }
    let news = News { outcome: result.outcome, is_late: true, content: result.content.clone() };
    task.is_delivered = false;
    task.seen_by = None;
    task.late_result = Some(result);
    (Verdict::Late, Some(news))
}

/// Twice in a row: then it is there no more. A query can be asked again; of an action nobody knows.
fn gone(task: &mut Task, now: Timestamp) -> Told {
    if task.state.is_final() {
        return (Verdict::Past, None);
    }
    task.gone = task.gone.saturating_add(1);
    if task.gone < 2 {
        task.ask_later(None, now);
        return (Verdict::Progress, None);
    }
    let outcome = match task.kind {
        CommandKind::Query => TaskOutcome::Failed,
        CommandKind::Action => TaskOutcome::Expired,
    };
    end(task, outcome.state(), now);
    (Verdict::Normal, Some(News { outcome, is_late: false, content: "TASK_GONE".to_owned() }))
}

/// It is asked for one last time where it can be; then it is over.
fn deadline_reached(task: &mut Task, now: Timestamp) -> Told {
    if !task.is_over(now) {
        return (Verdict::Past, None);
    }
    if task.remote.is_some() && !task.is_asked_last {
        task.is_asked_last = true;
        task.deadline = Some(Deadline::after(now, LAST_ANSWER));
        task.poll = Some(Poll { next: Deadline::after(now, Millis(0)), pause: LAST_ANSWER });
        return (Verdict::Progress, None);
    }
    end(task, TaskState::Expired, now);
    task.cancel = Some(asked(CancelWhy::Deadline, None, now));
    (Verdict::Normal, Some(News { outcome: TaskOutcome::Expired, is_late: false, content: String::new() }))
}

fn asked(why: CancelWhy, author: Option<String>, now: Timestamp) -> Cancel {
    let until = Deadline::after(now, CANCEL_WAIT);
    Cancel { why, author, at: now, until, is_sent: false, is_confirmed: false }
}

fn cancel_asked(task: &mut Task, why: CancelWhy, author: Option<String>, now: Timestamp) -> Told {
    if task.state.is_final() {
        return (Verdict::Past, None);
    }
    if task.cancel.is_some() {
        return (Verdict::Duplicate, None);
    }
    task.cancel = Some(asked(why, author, now));
    (Verdict::Normal, None)
}

fn cancel_answered(task: &mut Task, answer: CancelAnswer, now: Timestamp) -> Told {
    let Some(cancel) = &mut task.cancel else { return (Verdict::Past, None) };
    cancel.is_sent = true;
    match (answer, task.state.is_final()) {
        (CancelAnswer::Confirmed, true) => {
            cancel.is_confirmed = true;
            (Verdict::Past, None)
        }
        (CancelAnswer::Pending | CancelAnswer::Unconfirmed, true) => (Verdict::Past, None),
        (CancelAnswer::Confirmed, false) => called_off(task, true, now),
        (CancelAnswer::Unconfirmed, false) => called_off(task, false, now),
        (CancelAnswer::Pending, false) => {
            cancel.until = Deadline::after(now, CANCEL_WAIT);
            if task.remote.is_some() {
                task.ask_after(Millis::seconds(5), now);
            }
            (Verdict::Progress, None)
        }
    }
}

fn called_off(task: &mut Task, is_confirmed: bool, now: Timestamp) -> Told {
    end(task, TaskState::Cancelled, now);
    if let Some(cancel) = &mut task.cancel {
        cancel.is_sent = true;
        cancel.is_confirmed = is_confirmed;
    }
    (Verdict::Normal, Some(News { outcome: TaskOutcome::Cancelled, is_late: false, content: String::new() }))
}

fn end(task: &mut Task, state: TaskState, now: Timestamp) {
    task.state = state;
    task.completed_at = Some(now);
    task.poll = None;
    (task.question, task.answer) = (None, None);
}
