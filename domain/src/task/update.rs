//! Applies updates to tasks: the two tables of docs/TASKS.md as a function.

use super::{
    CANCEL_WAIT, CancelReason, CancelResponse, LAST_ANSWER, Task, TaskCancellation, TaskCompletion,
    TaskHandle, TaskOutcome, TaskPoll, TaskProgress, TaskResult, TaskState, TaskUpdate, TaskUpdateVerdict,
};
use crate::command::CommandKind;
use crate::time::{Deadline, Millis, Timestamp};

/// The result of a task update.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskUpdateOutcome {
    /// The new row.
    pub task: Task,
    /// The reply to the reporter.
    pub verdict: TaskUpdateVerdict,
    /// Message for the session, if any.
    pub news: Option<TaskCompletion>,
}

/// Applies an update to a task. Pure: the same row, update and instant give the same result.
pub fn apply_update(task: &Task, arrival: &TaskUpdate, now: Timestamp) -> TaskUpdateOutcome {
    let mut task = task.clone();
    let (verdict, news) = apply_to_row(&mut task, arrival, now);
    TaskUpdateOutcome { task, verdict, news }
}

type TaskUpdateParts = (TaskUpdateVerdict, Option<TaskCompletion>);

fn apply_to_row(task: &mut Task, arrival: &TaskUpdate, now: Timestamp) -> TaskUpdateParts {
    match arrival {
        TaskUpdate::Accepted(handle) => accepted(task, handle, now),
        TaskUpdate::DoneAtOnce(result) => {
            settle_with_call(task, TaskState::Completed, Some(result.clone()), now)
        }
        TaskUpdate::NotBegun => settle_with_call(task, TaskState::Failed, None, now),
        TaskUpdate::DeniedByPerson => match task.state.is_final() {
            true => (TaskUpdateVerdict::Past, None),
            false => finish_cancellation(task, false, now),
        },
        TaskUpdate::Progress { text, at, poll_after } => progress(task, text, *at, *poll_after, now),
        TaskUpdate::Asks { question, form, remote } => match task.state.is_final() {
            true => (TaskUpdateVerdict::Past, None),
            false => {
                // An answer belongs to the question that the person read.
                if task.question.as_ref() != Some(question) {
                    task.answer = None;
                }
                task.question = Some(question.clone());
                task.form.clone_from(form);
                task.replace_handle(remote.as_ref());
                running(task, now);
                task.back_off_poll(None, now);
                (TaskUpdateVerdict::Progress, None)
            }
        },
        TaskUpdate::Answered { answer } => match task.question.is_some() && task.answer.is_none() {
            true => {
                task.answer = Some(answer.clone());
                // It is delivered at once.
                if let Some(poll) = &mut task.poll {
                    poll.next = Deadline::after(now, Millis(0));
                }
                (TaskUpdateVerdict::Normal, None)
            }
            false => (TaskUpdateVerdict::Past, None),
        },
        TaskUpdate::AnswerTaken { remote, poll_after } => {
            (task.question, task.form, task.answer) = (None, None, None);
            task.replace_handle(remote.as_ref());
            task.back_off_poll(*poll_after, now);
            (TaskUpdateVerdict::Progress, None)
        }
        TaskUpdate::AnswerRefused => {
            task.answer = None;
            (TaskUpdateVerdict::Progress, None)
        }
        TaskUpdate::Final { outcome, content, digest } => {
            let (outcome, content, digest) = (*outcome, content.clone(), digest.clone());
            record_end(task, TaskResult { outcome, content, digest, at: now })
        }
        TaskUpdate::Gone => record_missing(task, now),
        TaskUpdate::Unreachable => {
            task.back_off_poll(None, now);
            (TaskUpdateVerdict::Past, None)
        }
        TaskUpdate::DeadlineReached => deadline_reached(task, now),
        TaskUpdate::CancelAsked { why, author } => request_cancellation(task, *why, author.clone(), now),
        TaskUpdate::CancelAnswered(answer) => record_cancel_response(task, *answer, now),
        TaskUpdate::CancelUnanswered => match task.is_cancel_wait_expired(now) {
            true => finish_cancellation(task, false, now),
            false => (TaskUpdateVerdict::Past, None),
        },
    }
}

impl Task {
    fn replace_handle(&mut self, remote: Option<&String>) {
        if let Some(remote) = remote {
            self.remote = Some(remote.clone());
        }
    }
}

fn accepted(task: &mut Task, handle: &TaskHandle, now: Timestamp) -> TaskUpdateParts {
    if task.remote.is_none() {
        task.remote.clone_from(&handle.remote);
    }
    task.dispatched_at.get_or_insert(now);
    if task.state.is_final() {
        return (TaskUpdateVerdict::Past, None);
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
        task.schedule_poll(pause, now);
    }
    (TaskUpdateVerdict::Normal, None)
}

/// Ends the task with the result of its call: the session reads no other message about it.
fn settle_with_call(
    task: &mut Task,
    state: TaskState,
    result: Option<TaskResult>,
    now: Timestamp,
) -> TaskUpdateParts {
    if task.state.is_final() {
        return (TaskUpdateVerdict::Past, None);
    }
    end(task, state, now);
    task.result = result;
    task.is_delivered = true;
    (TaskUpdateVerdict::Normal, None)
}

fn running(task: &mut Task, now: Timestamp) {
    task.dispatched_at.get_or_insert(now);
    task.state = TaskState::Running;
    task.gone = 0;
}

fn progress(
    task: &mut Task,
    text: &str,
    at: Option<Timestamp>,
    poll_after: Option<Millis>,
    now: Timestamp,
) -> TaskUpdateParts {
    if task.state.is_final() {
        return (TaskUpdateVerdict::Past, None);
    }
    running(task, now);
    // A service that works on without an answer has withdrawn its question.
    if task.answer.is_none() {
        (task.question, task.form) = (None, None);
    }
    // A reported instant in the future counts as now: a service clock that runs ahead must not suppress later progress.
    let at = at.map_or(now, |at| at.min(now));
    let is_newer = task.progress.as_ref().is_none_or(|known| at >= known.at);
    if is_newer && !text.is_empty() {
        task.progress = Some(TaskProgress { text: text.to_owned(), at });
    }
    task.back_off_poll(poll_after, now);
    (TaskUpdateVerdict::Progress, None)
}

fn record_end(task: &mut Task, result: TaskResult) -> TaskUpdateParts {
    if task.state.is_final() {
        return record_repeated_end(task, result);
    }
    let verdict = match task.state {
        TaskState::Registered => TaskUpdateVerdict::Early,
        TaskState::Dispatched
        | TaskState::Running
        | TaskState::Completed
        | TaskState::Failed
        | TaskState::Cancelled
        | TaskState::Expired => TaskUpdateVerdict::Normal,
    };
    task.dispatched_at.get_or_insert(result.at);
    end(task, result.outcome.state(), result.at);
    if let (TaskOutcome::Cancelled, Some(cancel)) = (result.outcome, &mut task.cancel) {
        cancel.is_confirmed = true;
    }
    let news = TaskCompletion { outcome: result.outcome, is_late: false, content: result.content.clone() };
    task.result = Some(result);
    (verdict, Some(news))
}

/// Handles an end after the end: a duplicate, a late or a contradictory one.
fn record_repeated_end(task: &mut Task, result: TaskResult) -> TaskUpdateParts {
    let is_same = |known: &Option<TaskResult>| {
        known.as_ref().is_some_and(|known| known.outcome == result.outcome && known.digest == result.digest)
    };
    if is_same(&task.result) || is_same(&task.late_result) {
        return (TaskUpdateVerdict::Duplicate, None);
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
        return (TaskUpdateVerdict::Contradictory, None);
    }
    let news = TaskCompletion { outcome: result.outcome, is_late: true, content: result.content.clone() };
    task.is_delivered = false;
    task.seen_by = None;
    task.late_result = Some(result);
    (TaskUpdateVerdict::Late, Some(news))
}

/// Ends the task after two consecutive misses. A query fails and can be retried; the outcome of an action is unknown.
fn record_missing(task: &mut Task, now: Timestamp) -> TaskUpdateParts {
    if task.state.is_final() {
        return (TaskUpdateVerdict::Past, None);
    }
    task.gone = task.gone.saturating_add(1);
    if task.gone < 2 {
        task.back_off_poll(None, now);
        return (TaskUpdateVerdict::Progress, None);
    }
    let outcome = match task.kind {
        CommandKind::Query => TaskOutcome::Failed,
        CommandKind::Action => TaskOutcome::Expired,
    };
    end(task, outcome.state(), now);
    (
        TaskUpdateVerdict::Normal,
        Some(TaskCompletion { outcome, is_late: false, content: "TASK_GONE".to_owned() }),
    )
}

/// Polls one last time at the deadline if possible; otherwise the task expires.
fn deadline_reached(task: &mut Task, now: Timestamp) -> TaskUpdateParts {
    if !task.is_deadline_reached(now) {
        return (TaskUpdateVerdict::Past, None);
    }
    if task.remote.is_some() && !task.is_asked_last {
        task.is_asked_last = true;
        task.deadline = Some(Deadline::after(now, LAST_ANSWER));
        task.poll = Some(TaskPoll { next: Deadline::after(now, Millis(0)), pause: LAST_ANSWER });
        return (TaskUpdateVerdict::Progress, None);
    }
    end(task, TaskState::Expired, now);
    task.cancel = Some(new_cancellation(CancelReason::Deadline, None, now));
    (
        TaskUpdateVerdict::Normal,
        Some(TaskCompletion { outcome: TaskOutcome::Expired, is_late: false, content: String::new() }),
    )
}

fn new_cancellation(why: CancelReason, author: Option<String>, now: Timestamp) -> TaskCancellation {
    let until = Deadline::after(now, CANCEL_WAIT);
    TaskCancellation { why, author, at: now, until, is_sent: false, is_confirmed: false }
}

fn request_cancellation(
    task: &mut Task,
    why: CancelReason,
    author: Option<String>,
    now: Timestamp,
) -> TaskUpdateParts {
    if task.state.is_final() {
        return (TaskUpdateVerdict::Past, None);
    }
    if task.cancel.is_some() {
        return (TaskUpdateVerdict::Duplicate, None);
    }
    task.cancel = Some(new_cancellation(why, author, now));
    (TaskUpdateVerdict::Normal, None)
}

fn record_cancel_response(task: &mut Task, answer: CancelResponse, now: Timestamp) -> TaskUpdateParts {
    let Some(cancel) = &mut task.cancel else { return (TaskUpdateVerdict::Past, None) };
    cancel.is_sent = true;
    match (answer, task.state.is_final()) {
        (CancelResponse::Confirmed, true) => {
            cancel.is_confirmed = true;
            (TaskUpdateVerdict::Past, None)
        }
        (CancelResponse::Pending | CancelResponse::Unconfirmed, true) => (TaskUpdateVerdict::Past, None),
        (CancelResponse::Confirmed, false) => finish_cancellation(task, true, now),
        (CancelResponse::Unconfirmed, false) => finish_cancellation(task, false, now),
        (CancelResponse::Pending, false) => {
            cancel.until = Deadline::after(now, CANCEL_WAIT);
            if task.remote.is_some() {
                task.schedule_poll(Millis::seconds(5), now);
            }
            (TaskUpdateVerdict::Progress, None)
        }
    }
}

fn finish_cancellation(task: &mut Task, is_confirmed: bool, now: Timestamp) -> TaskUpdateParts {
    end(task, TaskState::Cancelled, now);
    if let Some(cancel) = &mut task.cancel {
        cancel.is_sent = true;
        cancel.is_confirmed = is_confirmed;
    }
    (
        TaskUpdateVerdict::Normal,
        Some(TaskCompletion { outcome: TaskOutcome::Cancelled, is_late: false, content: String::new() }),
    )
}

fn end(task: &mut Task, state: TaskState, now: Timestamp) {
    task.state = state;
    task.completed_at = Some(now);
    task.poll = None;
    (task.question, task.form, task.answer) = (None, None, None);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{CallId, SessionId, TaskId};
    use crate::task::{TaskOrigin, TaskProtocol};

    fn hear(task: &Task, updates: &[TaskUpdate]) -> Task {
        updates.iter().fold(task.clone(), |task, update| apply_update(&task, update, Timestamp(5)).task)
    }

    fn asking() -> Task {
        let origin = TaskOrigin {
            session: SessionId::new("ses_a"),
            call: CallId::new("cal_a"),
            command: "bank.pay".to_owned(),
            kind: CommandKind::Action,
        };
        let task = Task::register(TaskId::new("tsk_1"), origin, TaskProtocol::Mcp, None, Timestamp(1));
        let handle =
            TaskHandle { remote: Some("first".into()), poll_after: Some(Millis::seconds(8)), until: None };
        let asks = TaskUpdate::Asks { question: "Which account?".into(), form: None, remote: None };
        hear(&task, &[TaskUpdate::Accepted(handle), asks])
    }

    #[test]
    fn answer_belongs_to_the_question_that_was_read() {
        let answered = hear(&asking(), &[TaskUpdate::Answered { answer: "FR76".into() }]);
        let asks = |question: &str| TaskUpdate::Asks { question: question.into(), form: None, remote: None };
        assert_eq!(hear(&answered, &[asks("Which account?")]).answer.as_deref(), Some("FR76"));
        let other = hear(&answered, &[asks("Which day?")]);
        assert_eq!((other.question.as_deref(), other.answer), (Some("Which day?"), None));
    }

    #[test]
    fn withdrawn_question_leaves_the_task() {
        let works = TaskUpdate::Progress { text: String::new(), at: None, poll_after: None };
        let working = hear(&asking(), std::slice::from_ref(&works));
        assert_eq!((working.question, working.state), (None, TaskState::Running));
        let answered = hear(&asking(), &[TaskUpdate::Answered { answer: "FR76".into() }, works]);
        assert_eq!(answered.answer.as_deref(), Some("FR76"), "an answer is still delivered");
    }

    #[test]
    fn accepted_answer_may_replace_handle_and_pause() {
        let answered = hear(&asking(), &[TaskUpdate::Answered { answer: "FR76".into() }]);
        let kept = hear(&answered, &[TaskUpdate::answer_taken()]);
        assert_eq!((kept.remote.as_deref(), kept.question), (Some("first"), None));
        let taken = TaskUpdate::AnswerTaken {
            remote: Some("private:second".into()),
            poll_after: Some(Millis::seconds(1)),
        };
        let replaced = hear(&answered, &[taken]);
        assert_eq!((replaced.remote.as_deref(), replaced.public_handle()), (Some("private:second"), None));
        assert_eq!(replaced.poll.map(|poll| poll.pause), Some(Millis::seconds(1)));
    }
}
