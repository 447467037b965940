//! The tick: decides due occurrences and, if there is room, begins the oldest that may run. Part of every turn;
//! it costs nothing while nothing is due.

use std::collections::BTreeSet;

use entracte_domain::automation::{
    Automation, DueOccurrence, OccurrenceDecision, RunCause, SkipReason, decide_occurrence,
};
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::session::{Input, SessionKind, Slot};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::workspace::{PlacementCandidate, has_room_for_run};

use super::automation_run::AutomationRunRequest;
use super::{FactRequest, RequestNotApplied, TurnStop, WorkspaceTurn};
use crate::journal::{Occurrence, OccurrenceOutcome};
use crate::planted_bugs::{PlantedBug, is_planted};
use crate::runtime::automation_schedule::{ScheduledAutomation, run_of};
use crate::runtime::turn_draft::{TurnDraft, texts};
use crate::runtime::turn_stages::{OccurrenceReview, OccurrenceSkip, TurnStage};
use crate::texts::LocalizedMessage;

impl WorkspaceTurn<'_> {
    /// Decides the due occurrences.
    pub(super) fn tick(&self, draft: &mut TurnDraft) -> Result<(), TurnStop> {
        let due = self.memory.schedule.due_automations(draft.now, self.occurrences_at_once());
        draft.aside.next.extend(due.into_iter().map(TurnStage::Judge).chain([TurnStage::BeginRuns]));
        Ok(())
    }

    fn occurrences_at_once(&self) -> usize {
        self.memory.runtime.occurrences_per_turn.max(1)
    }

    /// If there is room, begins the oldest occurrence that may run, then checks for another one.
    pub(super) fn begin_runs(&self, draft: &mut TurnDraft) -> Result<(), TurnStop> {
        // The next run is determined first: mostly there is none, and then the slots need not be examined.
        if let Some(id) = self.next_to_run(draft).filter(|_| self.has_room(draft)) {
            draft.aside.next.extend([TurnStage::BeginDue(id), TurnStage::Place, TurnStage::BeginRuns]);
        }
        Ok(())
    }

    /// Skips the occurrences of an automation that must be skipped; the others wait for a slot.
    pub(super) fn judge_due(&self, draft: &mut TurnDraft, id: &AutomationId) -> Result<(), TurnStop> {
        // An automation already changed by this turn is judged by the next turn.
        if draft.automations.contains_key(id) || draft.is_automation_deleted(id) {
            return Ok(());
        }
        let Some(kept) = self.memory.schedule.find(id) else { return Ok(()) };
        self.judge_next(draft, &OccurrenceReview { kept: kept.clone(), passed: 0 })
    }

    /// Judges the next occurrence of an automation. If it is skipped, the one after it is judged.
    pub(super) fn judge_next(
        &self,
        draft: &mut TurnDraft,
        judging: &OccurrenceReview,
    ) -> Result<(), TurnStop> {
        let OccurrenceReview { kept: ScheduledAutomation { mut automation, revision }, passed } =
            judging.clone();
        let due_at = automation.next_undecided_occurrence().filter(|at| *at <= draft.now);
        let Some(at) = due_at.filter(|_| passed < self.occurrences_at_once()) else {
            self.end_judging(
                draft,
                OccurrenceReview { kept: ScheduledAutomation { automation, revision }, passed },
            );
            return Ok(());
        };
        let (is_decided, next) = self.occurrence(&automation, at)?;
        let (due, attention) = self.due(draft, &automation, at, next);
        // The clock was set back and the schedule restarted since: an occurrence that is already decided is passed.
        if !is_decided {
            match decide_occurrence(&automation.policies, due, draft.now) {
                OccurrenceDecision::Skip(_) if is_planted(PlantedBug::LostOccurrence) => {}
                OccurrenceDecision::Skip(why) => {
                    draft.record_occurrence(
                        &automation,
                        at,
                        RunCause::Scheduled,
                        OccurrenceOutcome::Skipped(why),
                    );
                }
                OccurrenceDecision::Wait | OccurrenceDecision::Run => {
                    if passed == 0 {
                        let look = next_review_time(&automation, due, draft.now);
                        draft.aside.waits.insert(automation.id.clone(), (at, look));
                    }
                    self.end_judging(
                        draft,
                        OccurrenceReview { kept: ScheduledAutomation { automation, revision }, passed },
                    );
                    return Ok(());
                }
            }
        }
        (automation.next_at, automation.attention) = (due.following, attention);
        let judging =
            OccurrenceReview { kept: ScheduledAutomation { automation, revision }, passed: passed + 1 };
        draft.aside.next.push(TurnStage::JudgeNext(Box::new(judging)));
        Ok(())
    }

    /// Skips every occurrence of an automation that was due until now and waits: none of them ever runs.
    pub(super) fn skip_due(draft: &mut TurnDraft, automation: &Automation, why: SkipReason) {
        if let Some(at) = automation.next_undecided_occurrence().filter(|at| *at <= draft.now) {
            let automation = automation.clone();
            draft.aside.next.push(TurnStage::SkipNext(Box::new(OccurrenceSkip { automation, at, why })));
        }
    }

    pub(super) fn skip_next(&self, draft: &mut TurnDraft, skipping: &OccurrenceSkip) -> Result<(), TurnStop> {
        let OccurrenceSkip { automation, at, why } = skipping;
        let (is_decided, next) = self.occurrence(automation, *at)?;
        let is_drafted = |known: &Occurrence| known.automation == automation.id && known.at == *at;
        if !is_decided && !draft.occurrences.iter().any(is_drafted) {
            draft.record_occurrence(automation, *at, RunCause::Scheduled, OccurrenceOutcome::Skipped(*why));
        }
        if let Some(at) = next.ok().flatten().filter(|at| *at <= draft.now) {
            draft.aside.next.push(TurnStage::SkipNext(Box::new(OccurrenceSkip { at, ..skipping.clone() })));
        }
        Ok(())
    }

    fn end_judging(&self, draft: &mut TurnDraft, judging: OccurrenceReview) {
        let OccurrenceReview { kept, passed } = judging;
        if passed > 0 {
            draft.put_automation(kept.automation, kept.revision);
        } else if kept.automation.next_undecided_occurrence().is_none_or(|at| at > draft.now) {
            // The clock was set back since it was listed.
            draft.aside.not_due.push(kept);
        }
    }

    /// The automation whose occurrence runs next.
    fn next_to_run(&self, draft: &TurnDraft) -> Option<AutomationId> {
        let may_run = |id: &AutomationId| {
            let kept = self.memory.schedule.find(id).filter(|_| !draft.automations.contains_key(id));
            kept.filter(|_| !draft.is_automation_deleted(id)).is_some_and(|kept| {
                let Some(at) = kept.automation.next_undecided_occurrence().filter(|at| *at <= draft.now)
                else {
                    return false;
                };
                let due = DueOccurrence { at, following: None, running_since: self.running_since(draft, id) };
                decide_occurrence(&kept.automation.policies, due, draft.now) == OccurrenceDecision::Run
            })
        };
        let is_unchanged = |(_, id): &(Timestamp, &AutomationId)| !draft.aside.is_listed(id);
        let known = self.memory.schedule.waiting_since().filter(is_unchanged).find(|(_, id)| may_run(id));
        let news = draft.aside.waiting().into_iter().find(|(_, id)| may_run(id));
        known.into_iter().chain(news).min().map(|(_, id)| id.clone())
    }

    /// Creates the run of a due occurrence.
    pub(super) fn begin_due(&self, draft: &mut TurnDraft, id: &AutomationId) -> Result<(), TurnStop> {
        let Some(ScheduledAutomation { mut automation, revision }) = self.memory.schedule.find(id).cloned()
        else {
            return Ok(());
        };
        let Some(at) = automation.next_undecided_occurrence() else { return Ok(()) };
        let next = self.next_due(&automation.trigger, at)?;
        let (due, attention) = self.due(draft, &automation, at, next);
        let session = self.new_session(draft)?;
        let run = AutomationRunRequest {
            automation: &automation,
            session: &session,
            at,
            cause: RunCause::Scheduled,
            event: None,
            reporter: None,
        };
        let (became, attention) = match self.begin_run(draft, &run) {
            Ok(()) => (OccurrenceOutcome::Run(session), attention),
            Err(RequestNotApplied::Refused(why)) => {
                (OccurrenceOutcome::Skipped(SkipReason::Unusable), Some(why.saying().render(texts(draft))))
            }
            Err(RequestNotApplied::Stop(stop)) => return Err(stop),
        };
        draft.record_occurrence(&automation, at, RunCause::Scheduled, became);
        (automation.next_at, automation.attention) = (due.following, attention);
        draft.put_automation(automation, revision);
        Ok(())
    }

    /// The data for judging an occurrence, and why the one after it cannot be computed, if so.
    fn due(
        &self,
        draft: &TurnDraft,
        automation: &Automation,
        at: Timestamp,
        next: Result<Option<Timestamp>, LocalizedMessage>,
    ) -> (DueOccurrence, Option<String>) {
        let (following, attention) = match next {
            Ok(following) => (following, None),
            Err(why) => (None, Some(why.render(texts(draft)))),
        };
        let running_since = self.running_since(draft, &automation.id);
        (DueOccurrence { at, following, running_since }, attention)
    }

    /// When the oldest run of an automation that has not ended was created.
    fn running_since(&self, draft: &TurnDraft, id: &AutomationId) -> Option<Timestamp> {
        let committed = self
            .memory
            .schedule
            .runs(id)
            .filter(|(session, _)| !draft.sessions.contains_key(*session) && !draft.is_deleted(session))
            .map(|(_, made)| made);
        let drafted = draft
            .sessions
            .values()
            .filter(|drafted| drafted.phase.end_reason().is_none())
            .map(|drafted| &drafted.facts)
            .filter(|facts| run_of(facts).as_ref() == Some(id))
            .map(|facts| facts.created_at);
        committed.chain(drafted).min()
    }

    fn has_room(&self, draft: &TurnDraft) -> bool {
        let rules = draft.body.settings.slot_rules();
        has_room_for_run(&self.seats_with(draft), &rules, draft.now)
    }

    /// The watchdog: examines the runs that hold a slot and spares those whose work has a limit ahead.
    pub(super) fn watch_runs(&self, draft: &mut TurnDraft) -> Result<(), TurnStop> {
        let is_run = |seat: &&PlacementCandidate| seat.kind != SessionKind::Chat && seat.slot == Slot::Held;
        let held: Vec<SessionId> =
            self.memory.seats.values().filter(is_run).map(|seat| seat.session.clone()).collect();
        let limited = match held.is_empty() {
            true => &BTreeSet::new(),
            false => self.known.under_way.answer_or_request(held.clone(), FactRequest::UnderWay)?,
        };
        draft.aside.is_sparing = Some(!limited.is_empty());
        let lost = held.into_iter().filter(|session| !limited.contains(session));
        draft.aside.next.extend(lost.map(TurnStage::Heartbeat));
        Ok(())
    }

    /// Gives a run its heartbeat input, which decides whether it is lost.
    pub(super) fn heartbeat(&self, draft: &mut TurnDraft, session: &SessionId) -> Result<(), TurnStop> {
        if self.draft_session(draft, session)? {
            self.apply_input(draft, session, Input::SchedulerHeartbeat)?;
        }
        Ok(())
    }
}

/// The next time, later than now, at which the verdict on a waiting occurrence may change without an event.
fn next_review_time(automation: &Automation, due: DueOccurrence, now: Timestamp) -> Option<Timestamp> {
    let catch_up = automation.policies.catch_up;
    let superseded = due.following.filter(|_| catch_up.latest_only);
    let too_late = catch_up.window.map(|window| due.at.plus(window).plus(Millis(1)));
    superseded.into_iter().chain(too_late).min().map(|look| look.max(now.plus(Millis(1))))
}
