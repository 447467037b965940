//! What a task wants done, and when to look at it again. Derived from its row, and stored nowhere else.

use super::{Task, TaskCancellation, TaskPoll, TaskState};
use crate::time::{Deadline, Millis, Timestamp};

/// How long the answer to a cancellation is waited for.
pub const CANCEL_WAIT: Millis = Millis::seconds(60);

/// How long the answer to the question at a deadline is waited for.
pub const LAST_ANSWER: Millis = Millis::seconds(30);

/// The longest pause between two questions.
pub const POLL_LONGEST: Millis = Millis::minutes(5);

/// What is done for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TaskWork {
    /// Ask the other side how it stands.
    Poll,
    /// Give the other side the answer of a person.
    Answer,
    /// Tell the other side to stop.
    Cancel,
}

impl Task {
    /// What is to be done for it now; none where nothing is.
    pub fn next_work(&self, now: Timestamp) -> Option<TaskWork> {
        if self.unsent_cancellation().is_some() {
            return Some(TaskWork::Cancel);
        }
        if self.answer.is_some() {
            return Some(TaskWork::Answer);
        }
        let is_due = self.poll.is_some_and(|poll| poll.next.is_due(now));
        (is_due && !self.state.is_final()).then_some(TaskWork::Poll)
    }

    /// The cancellation that the other side is to be told: it has the task, and did not say how that ended.
    fn unsent_cancellation(&self) -> Option<&TaskCancellation> {
        let may_work = match self.state {
            TaskState::Registered | TaskState::Dispatched | TaskState::Running | TaskState::Expired => true,
            TaskState::Completed | TaskState::Failed | TaskState::Cancelled => false,
        };
        let is_there = self.dispatched_at.is_some() && may_work;
        self.cancel.as_ref().filter(|cancel| !cancel.is_sent && is_there)
    }

    /// When to look at it again; none where only the other side can change it.
    pub fn wake_at(&self) -> Option<Timestamp> {
        let unsent = self.unsent_cancellation().map(|cancel| cancel.at);
        if self.state.is_final() {
            return unsent;
        }
        let cancel = self.cancel.as_ref().map(|cancel| cancel.until.due_at);
        let deadline = self.deadline.filter(|_| self.cancel.is_none()).map(|deadline| deadline.due_at);
        let poll = self.poll.map(|poll| poll.next.due_at);
        // What is to be given to the other side is due at once.
        let answer = self.answer.as_ref().map(|_| self.created_at);
        [unsent, cancel, deadline, poll, answer].into_iter().flatten().min()
    }

    /// Whether its deadline has come, and it has neither ended nor is it being called off.
    pub fn is_deadline_reached(&self, now: Timestamp) -> bool {
        !self.state.is_final()
            && self.cancel.is_none()
            && self.deadline.is_some_and(|deadline| deadline.is_due(now))
    }

    /// Whether the time is over in which an answer to its cancellation was waited for.
    pub fn is_cancel_wait_expired(&self, now: Timestamp) -> bool {
        !self.state.is_final() && self.cancel.as_ref().is_some_and(|cancel| cancel.until.is_due(now))
    }

    /// The next question comes half as much later than the last one, at most after [`POLL_LONGEST`], and tasks that
    /// began together are not asked together.
    pub(super) fn back_off_poll(&mut self, wish: Option<Millis>, now: Timestamp) {
        let Some(TaskPoll { pause, .. }) = self.poll else { return };
        let longer = Millis(pause.0.saturating_add(pause.0 / 2).min(POLL_LONGEST.0.max(pause.0)));
        self.schedule_poll(wish.unwrap_or(longer), now);
    }

    /// The other side is asked after this pause.
    pub(super) fn schedule_poll(&mut self, pause: Millis, now: Timestamp) {
        let pause = Millis(pause.0.max(1_000));
        let next = Deadline::after(now, Millis(pause.0.saturating_add(self.jitter(pause))));
        self.poll = Some(TaskPoll { next, pause });
    }

    /// Up to a tenth of a pause, another part of it for each task.
    fn jitter(&self, pause: Millis) -> i64 {
        let sum: i64 = self.id.as_str().bytes().map(i64::from).sum();
        pause.0 / 1_000 * (sum % 100)
    }
}
