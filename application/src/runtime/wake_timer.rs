//! The single wake timer of a process. A workspace at rest is not in memory, and its deadlines are in the
//! database: the timer reads those of all workspaces together, and opens the workspaces where something is due.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::{Millis, Timestamp};
use tokio::sync::Notify;

use super::dual_clock::AGAIN;
use super::local_runtime::SharedRuntimeState;
use super::lock::lock;
use super::services::RuntimeServices;
use crate::ports::{StoreError, WaitCondition, WakeSchedule};

/// The next wake time, and the deadlines that workspaces registered when they went to rest.
#[derive(Default)]
pub(super) struct WakeTimer {
    book: Mutex<WakeTimerState>,
    sooner: Notify,
}

#[derive(Default)]
struct WakeTimerState {
    /// The next deadline found by the last poll.
    planned: Option<Timestamp>,
    /// The earliest deadline registered since that poll began, which may not have seen it.
    left: Option<Timestamp>,
    /// Workspaces at rest whose rows say too little: due work cannot be done yet, or work waits without a deadline in
    /// any row. The value is the next time to look; `None` = not before new input.
    held_back: HashMap<WorkspaceKey, Option<Timestamp>>,
    /// Whether the next poll looks for everything: what other processes had became free.
    is_full: bool,
}

impl WakeTimer {
    /// A timer that fires at `next`, or earlier if a workspace registers an earlier deadline.
    pub(super) fn with_deadline(next: Option<Timestamp>) -> Self {
        Self {
            book: Mutex::new(WakeTimerState { planned: next, ..WakeTimerState::default() }),
            sooner: Notify::new(),
        }
    }

    /// Registers a workspace at rest until its next deadline. `holds_back`: its rows alone do not tell when it has
    /// work.
    pub(super) fn register_resting(&self, key: &WorkspaceKey, until: Option<Timestamp>, holds_back: bool) {
        let mut book = lock(&self.book);
        if holds_back {
            book.held_back.insert(key.clone(), until);
        }
        let is_sooner = until.is_some_and(|at| book.next().is_none_or(|next| at < next));
        if is_sooner {
            book.left = until;
            self.sooner.notify_one();
        }
    }

    /// Unregisters a workspace that is in memory and watches its deadlines itself.
    pub(super) fn unregister_resting(&self, key: &WorkspaceKey) {
        lock(&self.book).held_back.remove(key);
    }

    /// Makes the next poll begin immediately and look for everything, as at the start.
    pub(super) fn request_full_poll(&self) {
        lock(&self.book).is_full = true;
        self.sooner.notify_one();
    }

    /// Whether the next poll looks for everything; once.
    fn take_full_poll(&self) -> bool {
        std::mem::take(&mut lock(&self.book).is_full)
    }

    /// Begins a poll, which sees everything committed until now. After the clock was set back, or the database was
    /// unavailable, earlier registrations are discarded.
    fn begin_poll(&self, is_new: bool) {
        let mut book = lock(&self.book);
        book.left = None;
        if is_new {
            book.held_back.clear();
        }
    }

    /// The workspaces to wake: those due by their rows, except those registered with another time.
    fn due_workspaces(&self, due: Vec<WorkspaceKey>, now: Timestamp) -> BTreeSet<WorkspaceKey> {
        let book = lock(&self.book);
        let by_rows = due.into_iter().filter(|key| !book.held_back.contains_key(key));
        let by_word = book.held_back.iter().filter(|(_, at)| at.is_some_and(|at| at <= now));
        by_rows.chain(by_word.map(|(key, _)| key.clone())).collect()
    }

    /// Ends a poll that found `next` as the next deadline.
    fn plan(&self, next: Option<Timestamp>) {
        let mut book = lock(&self.book);
        book.planned = book.held_back.values().copied().chain([next]).flatten().min();
    }

    /// Waits until something may be due, at most the longest sleep of the settings, so that a machine that slept
    /// misses nothing.
    async fn wait_until_due(&self, services: &RuntimeServices) {
        loop {
            let next = {
                let book = lock(&self.book);
                if book.is_full {
                    return;
                }
                book.next()
            };
            tokio::select! {
                () = services.clock.sleep(sleep_span(next, services.clock.now(), services.settings.longest_sleep)) => return,
                () = self.sooner.notified() => {}
            }
        }
    }
}

impl WakeTimerState {
    fn next(&self) -> Option<Timestamp> {
        self.planned.into_iter().chain(self.left).min()
    }
}

/// How long to sleep until then; rounded up, so that no wake is a moment too early.
pub(super) fn sleep_span(until: Option<Timestamp>, now: Timestamp, longest: Millis) -> Millis {
    let span = until.map_or(longest, |at| Millis(at.0.saturating_sub(now.0).saturating_add(999) / 1000));
    Millis(span.0.clamp(0, longest.0))
}

/// Wakes workspaces until cancelled. `seen` = time of the last poll.
pub(super) async fn run_wake_loop(shared: Arc<SharedRuntimeState>, mut seen: Timestamp) {
    // Whether a poll that looked for everything failed.
    let mut is_incomplete = false;
    loop {
        shared.alarm.wait_until_due(&shared.services).await;
        shared.reap_ended_tasks();
        let now = shared.services.clock.now();
        let set_back = now < seen;
        let is_full = shared.alarm.take_full_poll() || set_back || is_incomplete;
        shared.alarm.begin_poll(is_full);
        match read_due(&shared, now, is_full).await {
            Ok(agenda) => {
                for key in agenda.due {
                    shared.wake(&key, set_back);
                }
                shared.alarm.plan(agenda.next);
                (seen, is_incomplete) = (now, false);
            }
            Err(error) => {
                tracing::warn!(%error, "the next deadlines cannot be read");
                shared.alarm.begin_poll(true);
                shared.alarm.plan(Some(now.plus(AGAIN)));
                is_incomplete = is_full;
            }
        }
    }
}

/// The workspaces to wake that no other process has, and the next deadline.
async fn read_due(
    shared: &SharedRuntimeState,
    now: Timestamp,
    is_full: bool,
) -> Result<WakeSchedule, StoreError> {
    let agenda = match is_full {
        true => read_full_agenda(&shared.services, now).await?,
        false => read_agenda(&shared.services, now).await?,
    };
    let due: Vec<WorkspaceKey> = shared.alarm.due_workspaces(agenda.due, now).into_iter().collect();
    Ok(WakeSchedule { due: shared.owner.available(due).await?, next: agenda.next })
}

/// Due work and the next deadline: three database queries, whatever the number of workspaces.
async fn read_agenda(services: &RuntimeServices, now: Timestamp) -> Result<WakeSchedule, StoreError> {
    let sessions = services.store.wake_schedule(now).await?;
    let occurrences = services.automations.wake_schedule(now).await?;
    let tasks = services.tasks.task_wake_schedule(now).await?;
    let due = sessions.due.into_iter().chain(occurrences.due).chain(tasks.due);
    let due: BTreeSet<WorkspaceKey> = due.collect();
    let next = sessions.next.into_iter().chain(occurrences.next).chain(tasks.next).min();
    Ok(WakeSchedule { due: due.into_iter().collect(), next })
}

/// Everything due when the past is unknown: also work that was under way, deadlines that a clock set back makes
/// due, and sessions queued for a slot, whose rows do not tell when they get it.
pub(super) async fn read_full_agenda(
    services: &RuntimeServices,
    now: Timestamp,
) -> Result<WakeSchedule, StoreError> {
    let mut due: BTreeSet<WorkspaceKey> =
        services.store.due(now).await?.into_iter().map(|(key, _)| key).collect();
    due.extend(services.store.waiting(WaitCondition::Slot).await?);
    let agenda = read_agenda(services, now).await?;
    due.extend(agenda.due);
    Ok(WakeSchedule { due: due.into_iter().collect(), next: agenda.next })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> WorkspaceKey {
        WorkspaceKey::new(format!("ann:{number}"))
    }

    fn next(alarm: &WakeTimer) -> Option<Timestamp> {
        lock(&alarm.book).next()
    }

    #[test]
    fn earliest_of_row_and_registered_deadlines_counts() {
        let alarm = WakeTimer::with_deadline(Some(Timestamp(50)));
        alarm.register_resting(&key(1), Some(Timestamp(70)), false);
        assert_eq!(next(&alarm), Some(Timestamp(50)));
        alarm.register_resting(&key(2), Some(Timestamp(30)), false);
        alarm.register_resting(&key(3), None, false);
        assert_eq!(next(&alarm), Some(Timestamp(30)));
        // The next poll finds it in the rows.
        alarm.begin_poll(false);
        alarm.plan(Some(Timestamp(40)));
        assert_eq!(next(&alarm), Some(Timestamp(40)));
    }

    #[test]
    fn deadline_registered_during_poll_is_kept() {
        let alarm = WakeTimer::with_deadline(None);
        alarm.begin_poll(false);
        // The rows were read before the commit with this deadline.
        alarm.register_resting(&key(1), Some(Timestamp(30)), false);
        alarm.plan(Some(Timestamp(90)));
        assert_eq!(next(&alarm), Some(Timestamp(30)));
    }

    #[test]
    fn held_back_workspace_wakes_at_its_own_time() {
        let alarm = WakeTimer::with_deadline(None);
        alarm.register_resting(&key(1), Some(Timestamp(30)), true);
        alarm.register_resting(&key(2), None, true);
        let rows = || vec![key(1), key(2), key(3)];
        assert_eq!(alarm.due_workspaces(rows(), Timestamp(29)), BTreeSet::from([key(3)]));
        assert_eq!(alarm.due_workspaces(rows(), Timestamp(30)), BTreeSet::from([key(1), key(3)]));
        alarm.begin_poll(false);
        alarm.plan(Some(Timestamp(90)));
        assert_eq!(next(&alarm), Some(Timestamp(30)), "it is in no row");

        alarm.unregister_resting(&key(1));
        alarm.plan(Some(Timestamp(90)));
        assert_eq!(next(&alarm), Some(Timestamp(90)));
        assert_eq!(alarm.due_workspaces(rows(), Timestamp(0)), BTreeSet::from([key(1), key(3)]));
        alarm.begin_poll(true);
        assert_eq!(alarm.due_workspaces(rows(), Timestamp(0)), rows().into_iter().collect());
    }

    #[test]
    fn sleep_is_rounded_up_and_bounded() {
        let longest = Millis::seconds(30);
        let cases = [
            (None, 0, 30_000),
            (Some(1), 0, 1),
            (Some(2_000), 0, 2),
            (Some(2_001), 0, 3),
            (Some(5), 9, 0),
            (Some(i64::MAX), 0, 30_000),
            (Some(0), i64::MIN, 30_000),
        ];
        for (until, now, expected) in cases {
            assert_eq!(
                sleep_span(until.map(Timestamp), Timestamp(now), longest),
                Millis(expected),
                "{until:?}"
            );
        }
    }
}
