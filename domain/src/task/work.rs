//! Work to do for a task, and its next deadline. Derived from its row and not stored.

use super::{Task, TaskCancellation, TaskPoll, TaskState};
use crate::time::{Deadline, Millis, Timestamp};

/// Maximum wait for the answer to a cancellation.
pub const CANCEL_WAIT: Millis = Millis::seconds(60);

/// Maximum wait for the answer to the last poll at a deadline.
pub const LAST_ANSWER: Millis = Millis::seconds(30);

/// Longest pause between two polls.
pub const POLL_LONGEST: Millis = Millis::minutes(5);

/// Work to do for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TaskWork {
    /// Poll the external service.
    Poll,
    /// Deliver a person's answer to the external service.
    Answer,
    /// Cancel the task at the external service.
    Cancel,
}

impl Task {
    /// The work to do now; `None` if there is none.
    pub fn next_work(&self, now: Timestamp) -> Option<TaskWork> {
        if self.unsent_cancellation().is_some() {
            return Some(TaskWork::Cancel);
        }
        // After an attempt that did not reach the service, an answer waits for the next poll.
        if self.answer.is_some() && self.poll.is_none_or(|poll| poll.next.is_due(now)) {
            return Some(TaskWork::Answer);
        }
        let is_due = self.poll.is_some_and(|poll| poll.next.is_due(now));
        (is_due && !self.state.is_final()).then_some(TaskWork::Poll)
    }

    /// The cancellation to send: the external service has the task and has not reported its end.
    fn unsent_cancellation(&self) -> Option<&TaskCancellation> {
        let may_work = match self.state {
            TaskState::Registered | TaskState::Dispatched | TaskState::Running | TaskState::Expired => true,
            TaskState::Completed | TaskState::Failed | TaskState::Cancelled => false,
        };
        let is_there = self.dispatched_at.is_some() && may_work;
        self.cancel.as_ref().filter(|cancel| !cancel.is_sent && is_there)
    }

    /// The next deadline of the task; `None` if only the external service can change it.
    pub fn wake_at(&self) -> Option<Timestamp> {
        let unsent = self.unsent_cancellation().map(|cancel| cancel.at);
        if self.state.is_final() {
            return unsent;
        }
        let cancel = self.cancel.as_ref().map(|cancel| cancel.until.due_at);
        let deadline = self.deadline.filter(|_| self.cancel.is_none()).map(|deadline| deadline.due_at);
        let poll = self.poll.map(|poll| poll.next.due_at);
        // Without polls, an undelivered answer is due at once.
        let answer = self.answer.as_ref().filter(|_| self.poll.is_none()).map(|_| self.created_at);
        [unsent, cancel, deadline, poll, answer].into_iter().flatten().min()
    }

    /// Whether the deadline has come while the task has neither ended nor is being cancelled.
    pub fn is_deadline_reached(&self, now: Timestamp) -> bool {
        !self.state.is_final()
            && self.cancel.is_none()
            && self.deadline.is_some_and(|deadline| deadline.is_due(now))
    }

    /// Whether the maximum wait for an answer to the cancellation has passed.
    pub fn is_cancel_wait_expired(&self, now: Timestamp) -> bool {
        !self.state.is_final() && self.cancel.as_ref().is_some_and(|cancel| cancel.until.is_due(now))
    }

    /// Schedules the next poll after a pause half as long again, at most [`POLL_LONGEST`], with jitter so that tasks
    /// begun together are not polled together.
    pub(super) fn back_off_poll(&mut self, wish: Option<Millis>, now: Timestamp) {
        let Some(TaskPoll { pause, .. }) = self.poll else { return };
        let longer = Millis(pause.0.saturating_add(pause.0 / 2).min(POLL_LONGEST.0.max(pause.0)));
        self.schedule_poll(wish.unwrap_or(longer), now);
    }

    /// Schedules a poll after this pause.
    pub(super) fn schedule_poll(&mut self, pause: Millis, now: Timestamp) {
        let pause = Millis(pause.0.max(1_000));
        let next = Deadline::after(now, Millis(pause.0.saturating_add(self.jitter(pause))));
        self.poll = Some(TaskPoll { next, pause });
    }

    /// Jitter of up to a tenth of the pause, different for each task.
    fn jitter(&self, pause: Millis) -> i64 {
        let sum: i64 = self.id.as_str().bytes().map(i64::from).sum();
        pause.0 / 1_000 * (sum % 100)
    }
}
