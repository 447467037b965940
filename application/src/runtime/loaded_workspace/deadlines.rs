//! The deadlines of a workspace, including those of its automations.

use std::collections::BTreeMap;

use entracte_domain::id::{AutomationId, TaskId};
use entracte_domain::session::{SessionKind, Slot};
use entracte_domain::task::{Task, TaskWork};
use entracte_domain::time::Timestamp;
use entracte_domain::workspace::next_eviction_at;

use super::LoadedWorkspace;
use crate::codec::decode_automation;
use crate::ports::SessionFilter;
use crate::runtime::automation_schedule::{AutomationSchedule, ScheduledAutomation};
use crate::runtime::error::TurnError;
use crate::runtime::session_draft::SessionDraft;

impl LoadedWorkspace {
    pub(super) fn note_wake(&mut self, session: &SessionDraft) {
        let rules = self.rules.rules_for_session(&session.facts);
        let own = entracte_domain::session::wake_at(&session.facts, &session.phase, rules);
        self.wake_at = self.wake_at.into_iter().chain(own).min();
    }

    /// Records the deadlines of the tasks examined because they were due and of those that changed; returns each with
    /// its desired work.
    pub(super) fn note_tasks(
        &mut self,
        mut tasks: BTreeMap<TaskId, Task>,
        changed: BTreeMap<TaskId, Task>,
        now: Timestamp,
    ) -> Vec<(Task, Option<TaskWork>)> {
        tasks.extend(changed);
        let own = tasks.values().filter_map(Task::wake_at);
        self.wake_at = self.wake_at.into_iter().chain(own).min();
        let wants = |task: Task| {
            let work = task.next_work(now);
            (task, work)
        };
        tasks.into_values().map(wants).collect()
    }

    /// The earliest deadline of its sessions and tasks.
    pub(super) async fn next_wake(&self) -> Result<Option<Timestamp>, TurnError> {
        let sessions = self.services.store.next_wake(&self.key).await?;
        let tasks = self.services.tasks.next_task(&self.key).await?;
        Ok(sessions.into_iter().chain(tasks).min())
    }

    /// The earliest known deadline, including those of the schedule.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.wake_with_tick(self.services.clock.now())
    }

    /// The earliest deadline in the database; memory knows only the sessions and tasks it touched.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn refresh_next_deadline(&mut self) -> Result<Option<Timestamp>, TurnError> {
        let now = self.services.clock.now();
        self.wake_at = self.next_wake().await?;
        if self.is_sparing && self.wake_at.is_some_and(|at| at <= now) {
            // The row of a spared run hides the others. The next deadline of any workspace is early enough.
            self.wake_at = self.services.store.wake_schedule(now).await?.next;
        }
        Ok(self.wake_with_tick(now))
    }

    /// The earliest deadline, including those of the schedule.
    pub(super) fn wake_with_tick(&self, now: Timestamp) -> Option<Timestamp> {
        self.wake_at.into_iter().chain(self.next_tick(now)).min()
    }

    /// The next time at which the tick has work without an event: an automation is due to be judged, or an idle chat
    /// gives its slot to a queued session.
    fn next_tick(&self, now: Timestamp) -> Option<Timestamp> {
        let rules = self.settings.slot_rules();
        let eviction = self.awaits_slot().then(|| next_eviction_at(self.seats.values(), &rules)).flatten();
        let by_network = self.going_on.values().copied();
        self.schedule.next_look().into_iter().chain(eviction.filter(|at| *at > now)).chain(by_network).min()
    }

    fn awaits_slot(&self) -> bool {
        self.schedule.waiting().next().is_some()
            || self.seats.values().any(|seat| matches!(seat.slot, Slot::Queued(_) | Slot::Suspended(_)))
    }

    /// Whether the rows do not tell when this workspace has work again: something waits for a slot or for a run to
    /// end, or cannot be read.
    pub fn has_blocked_work(&self) -> bool {
        self.awaits_slot() || self.schedule.is_partial()
    }

    /// Whether the tick has work now.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        self.schedule.next_look().is_some_and(|at| at <= now)
    }

    /// Reloads the automations and their runs.
    pub(super) async fn load_schedule(&mut self) -> Result<(), TurnError> {
        self.schedule = AutomationSchedule::default();
        let rows = self.services.automations.automations(self.key()).await?;
        if rows.is_empty() {
            return Ok(());
        }
        for row in rows {
            match decode_automation(&row) {
                Ok(automation) => {
                    self.schedule.put(ScheduledAutomation { automation, revision: Some(row.revision) })
                }
                Err(fault) => {
                    self.schedule.mark_partial();
                    tracing::error!(automation = %row.id, %fault, "the automation cannot be read, so it does not run");
                }
            }
        }
        let open =
            SessionFilter { workspace: Some(self.key().clone()), open: true, ..SessionFilter::default() };
        for row in self.services.log.sessions(&open).await?.rows {
            if row.kind == SessionKind::Automation
                && let Ok(drafted) = SessionDraft::from_row(&row)
            {
                self.schedule.note_run(&drafted.facts, &drafted.phase);
            }
        }
        Ok(())
    }

    /// Updates the schedule to what was committed.
    pub(super) fn follow_schedule(
        &mut self,
        automations: BTreeMap<AutomationId, ScheduledAutomation>,
        deleted: Vec<(AutomationId, Option<u64>)>,
    ) {
        for (id, _) in deleted {
            self.schedule.remove(&id);
        }
        for ScheduledAutomation { automation, revision } in automations.into_values() {
            let revision = Some(revision.map_or(1, |revision| revision + 1));
            self.schedule.put(ScheduledAutomation { automation, revision });
        }
    }
}
