//! The tick: occurrences that are due are decided, and where there is room the oldest that may run begins. Made with
//! every turn; it costs nothing while nothing is due.

use std::collections::BTreeMap;

use entracte_domain::automation::{Automation, Cause, Due, OccurrenceDecision, Skip, judge};
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::session::{Input, SessionKind, Slot};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::workspace::{Seat, gives_way_at, has_room_for_run};

use super::draft::{Draft, Drafted};
use super::run::Run;
use super::schedule::{Kept, Schedule, run_of};
use super::workspace::{TurnError, Workspace};
use crate::codec::decode_automation;
use crate::journal::{Became, Occurrence};
use crate::planted::{Bug, is_planted};
use crate::ports::SessionFilter;

impl Workspace {
    /// Decides what is due.
    pub(super) async fn tick(&mut self, draft: &mut Draft) -> Result<(), TurnError> {
        let most = self.services.settings.occurrences_per_turn.max(1);
        for id in self.schedule.to_judge(draft.now, most) {
            self.judge_due(draft, &id, most).await?;
        }
        // Who may run is asked first: mostly nobody, and then nobody's seat need be looked at.
        while let Some(id) = self.next_to_run(draft).filter(|_| self.has_room(draft)) {
            self.begin_due(draft, &id).await?;
            self.place(draft).await?;
        }
        Ok(())
    }

    /// Skips what is to be skipped of an automation; what is left of it waits for its turn.
    async fn judge_due(
        &mut self,
        draft: &mut Draft,
        id: &AutomationId,
        most: usize,
    ) -> Result<(), TurnError> {
        // One that this turn has changed already is looked at by the next.
        if draft.automations.contains_key(id) || draft.is_automation_deleted(id) {
            return Ok(());
        }
        let Some(kept) = self.schedule.find(id) else { return Ok(()) };
        let Kept { mut automation, revision } = kept.clone();
        let mut passed = 0;
        while let Some(at) = automation.awaits().filter(|at| *at <= draft.now) {
            if passed == most {
                break;
            }
            let (due, attention) = self.due(draft, &automation, at);
            // The clock was set back, and the automation begun anew since: one that is taken had its turn.
            if !self.is_taken(id, at).await? {
                match judge(&automation.policies, due, draft.now) {
                    OccurrenceDecision::Skip(_) if is_planted(Bug::LostOccurrence) => {}
                    OccurrenceDecision::Skip(why) => {
                        draft.decide(&automation, at, Cause::Scheduled, Became::Skipped(why));
                    }
                    OccurrenceDecision::Wait | OccurrenceDecision::Run => {
                        if passed == 0 {
                            self.schedule.wait(id, at, look_again(&automation, due, draft.now));
                        }
                        break;
                    }
                }
            }
            (automation.next_at, automation.attention) = (due.following, attention);
            passed += 1;
        }
        if passed > 0 {
            draft.put_automation(automation, revision);
        } else if automation.awaits().is_none_or(|at| at > draft.now) {
            // The clock was set back since it was listed.
            let kept = Kept { automation, revision };
            self.schedule.put(kept);
        }
        Ok(())
    }

    /// The automation whose occurrence runs next.
    fn next_to_run(&self, draft: &Draft) -> Option<AutomationId> {
        let may_run = |id: &&AutomationId| {
            let kept = self.schedule.find(id).filter(|_| !draft.automations.contains_key(*id));
            kept.filter(|_| !draft.is_automation_deleted(id)).is_some_and(|kept| {
                let Some(at) = kept.automation.awaits().filter(|at| *at <= draft.now) else { return false };
                let due = Due { at, following: None, running_since: self.running_since(draft, id) };
                judge(&kept.automation.policies, due, draft.now) == OccurrenceDecision::Run
            })
        };
        self.schedule.waiting().find(may_run).cloned()
    }

    /// Makes the run of an occurrence that is due.
    async fn begin_due(&mut self, draft: &mut Draft, id: &AutomationId) -> Result<(), TurnError> {
        let Some(Kept { mut automation, revision }) = self.schedule.find(id).cloned() else { return Ok(()) };
        let Some(at) = automation.awaits() else { return Ok(()) };
        let (due, attention) = self.due(draft, &automation, at);
        let session = self.services.ids.session();
        let run =
            Run { automation: &automation, session: &session, at, cause: Cause::Scheduled, event: None };
        let (became, attention) = match self.begin_run(draft, &run).await? {
            Ok(()) => (Became::Run(session), attention),
            Err(why) => (Became::Skipped(Skip::Unusable), Some(why)),
        };
        draft.decide(&automation, at, Cause::Scheduled, became);
        (automation.next_at, automation.attention) = (due.following, attention);
        draft.put_automation(automation, revision);
        Ok(())
    }

    /// What is to be known of an occurrence, and why the one after it cannot be computed, if so.
    fn due(&self, draft: &Draft, automation: &Automation, at: Timestamp) -> (Due, Option<String>) {
        let (following, attention) = match self.services.calculator.next(&automation.trigger, at) {
            Ok(following) => (following, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let running_since = self.running_since(draft, &automation.id);
        (Due { at, following, running_since }, attention)
    }

    /// When the oldest run of an automation that has not ended was made.
    fn running_since(&self, draft: &Draft, id: &AutomationId) -> Option<Timestamp> {
        let committed = self
            .schedule
            .runs(id)
            .filter(|(session, _)| !draft.sessions.contains_key(*session) && !draft.is_deleted(session))
            .map(|(_, made)| made);
        let drafted = draft
            .sessions
            .values()
            .map(|drafted| &drafted.facts)
            .filter(|facts| facts.end_reason.is_none() && run_of(facts).as_ref() == Some(id))
            .map(|facts| facts.created_at);
        committed.chain(drafted).min()
    }

    fn has_room(&self, draft: &Draft) -> bool {
        let rules = draft.body.settings.slot_rules();
        has_room_for_run(&self.seats_with(draft), &rules, draft.now)
    }

    /// The seats as they are with this draft.
    pub(super) fn seats_with(&self, draft: &Draft) -> Vec<Seat> {
        let mut seats = self.seats.clone();
        seats.retain(|session, _| !draft.is_deleted(session));
        for seat in draft.seats() {
            seats.insert(seat.session.clone(), seat);
        }
        seats.into_values().filter(Seat::is_placed).collect()
    }

    /// The slot that a session had before this turn.
    pub(super) fn slot_before(&self, session: &SessionId) -> Slot {
        self.seats.get(session).map_or(Slot::None, |seat| seat.slot)
    }

    /// The scheduler's look at the runs that hold a slot: the watchdog. It spares those whose work has a limit ahead.
    pub(super) async fn watch_runs(&mut self, draft: &mut Draft) -> Result<(), TurnError> {
        let is_run = |seat: &&Seat| seat.kind != SessionKind::Chat && seat.slot == Slot::Held;
        let held: Vec<SessionId> =
            self.seats.values().filter(is_run).map(|seat| seat.session.clone()).collect();
        let (under_way, passed) = (self.under_way(), self.services.clock.monotonic());
        self.is_sparing = false;
        for session in held {
            if under_way.has_limit_ahead(&session, passed) {
                self.is_sparing = true;
            } else if self.draft_session(draft, &session).await? {
                draft.feed(&session, Input::SchedulerHeartbeat, &self.rules)?;
            }
        }
        Ok(())
    }

    /// When the tick has to be made again without anything happening: an automation is to be looked at, or a chat that
    /// rests gives its slot to who waits.
    pub(super) fn next_tick(&self, now: Timestamp) -> Option<Timestamp> {
        let rules = self.settings.slot_rules();
        let eviction = self.awaits_slot().then(|| gives_way_at(self.seats.values(), &rules)).flatten();
        let by_network = self.going_on.values().copied();
        self.schedule.next_look().into_iter().chain(eviction.filter(|at| *at > now)).chain(by_network).min()
    }

    fn awaits_slot(&self) -> bool {
        self.schedule.waiting().next().is_some()
            || self.seats.values().any(|seat| matches!(seat.slot, Slot::Queued(_) | Slot::Suspended(_)))
    }

    /// Whether the rows do not say when to look at this workspace again: something waits for a slot, or for a run to end,
    /// or cannot be read.
    pub fn holds_back(&self) -> bool {
        self.awaits_slot() || self.schedule.is_partial()
    }

    /// Whether the tick can go on at once.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        self.schedule.next_look().is_some_and(|at| at <= now)
    }

    /// Reads the automations and their runs anew.
    pub(super) async fn load_schedule(&mut self) -> Result<(), TurnError> {
        self.schedule = Schedule::default();
        let rows = self.services.automations.automations(self.key()).await?;
        if rows.is_empty() {
            return Ok(());
        }
        for row in rows {
            match decode_automation(&row) {
                Ok(automation) => self.schedule.put(Kept { automation, revision: Some(row.revision) }),
                Err(fault) => {
                    self.schedule.pass_over();
                    tracing::error!(automation = %row.id, %fault, "the automation cannot be read, so it does not run");
                }
            }
        }
        let open =
            SessionFilter { workspace: Some(self.key().clone()), open: true, ..SessionFilter::default() };
        for row in self.services.log.sessions(&open).await? {
            if row.kind == SessionKind::Automation.word()
                && let Ok(drafted) = Drafted::of_row(&row)
            {
                self.schedule.note_run(&drafted.facts);
            }
        }
        Ok(())
    }

    /// The schedule follows what was committed.
    pub(super) fn follow_schedule(
        &mut self,
        automations: BTreeMap<AutomationId, Kept>,
        deleted: Vec<(AutomationId, Option<u64>)>,
    ) {
        for (id, _) in deleted {
            self.schedule.remove(&id);
        }
        for Kept { automation, revision } in automations.into_values() {
            let revision = Some(revision.map_or(1, |revision| revision + 1));
            self.schedule.put(Kept { automation, revision });
        }
    }
}

/// When the verdict on an occurrence that waits may change by itself; later than now.
fn look_again(automation: &Automation, due: Due, now: Timestamp) -> Option<Timestamp> {
    let catch_up = automation.policies.catch_up;
    let superseded = due.following.filter(|_| catch_up.latest_only);
    let too_late = catch_up.window.map(|window| due.at.plus(window).plus(Millis(1)));
    superseded.into_iter().chain(too_late).min().map(|look| look.max(now.plus(Millis(1))))
}

impl Draft {
    /// Takes down what became of an occurrence.
    pub(super) fn decide(&mut self, automation: &Automation, at: Timestamp, cause: Cause, outcome: Became) {
        self.occurrences.push(Occurrence {
            automation: automation.id.clone(),
            at,
            cause,
            version: automation.version,
            decided_at: self.now,
            outcome,
        });
    }

    /// An automation as it will be; `revision` is that of its row.
    pub(super) fn put_automation(&mut self, automation: Automation, revision: Option<u64>) {
        self.automations.insert(automation.id.clone(), Kept { automation, revision });
    }

    /// Whether this turn deletes the automation.
    pub(super) fn is_automation_deleted(&self, id: &AutomationId) -> bool {
        self.deleted_automations.iter().any(|(deleted, _)| deleted == id)
    }
}
