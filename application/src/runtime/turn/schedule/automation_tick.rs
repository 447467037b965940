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
use crate::journal::{Occurrence, OccurrenceOutcome};
use crate::planted_bugs::{PlantedBug, is_planted};
use crate::runtime::automation_schedule::{ScheduledAutomation, run_of};
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::{TurnDraft, texts};
use crate::runtime::turn::lookups::draw_session_id;
use crate::runtime::turn::placement::draft_session;
use crate::runtime::turn::questions::{
    LimitedSessionsQuestion, NextDueQuestion, OccurrenceQuestion, OccurrenceStatus,
};
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::runtime::turn::schedule::automation_run::begin_run;
use crate::runtime::turn::slots::list_seats;
use crate::runtime::turn::stage::{OccurrenceReview, OccurrenceSkip, TurnStage};
use crate::texts::LocalizedMessage;

/// Decides the due occurrences.
pub(crate) fn list_due_automations(turn: &TurnContext<'_>, draft: &mut TurnDraft) -> Result<(), TurnStop> {
    let due = turn.memory.schedule.due_automations(draft.now, occurrences_per_turn(turn));
    draft.aside.next.extend(due.into_iter().map(TurnStage::Judge).chain([TurnStage::BeginRuns]));
    Ok(())
}

fn occurrences_per_turn(turn: &TurnContext<'_>) -> usize {
    turn.memory.runtime.occurrences_per_turn.max(1)
}

/// If there is room, begins the oldest occurrence that may run, then checks for another one.
pub(crate) fn begin_runs(turn: &TurnContext<'_>, draft: &mut TurnDraft) -> Result<(), TurnStop> {
    // The next run is determined first: mostly there is none, and then the slots need not be examined.
    if let Some(id) = find_next_run(turn, draft).filter(|_| has_room(turn, draft)) {
        draft.aside.next.extend([TurnStage::BeginDue(id), TurnStage::Place, TurnStage::BeginRuns]);
    }
    Ok(())
}

/// Skips the occurrences of an automation that must be skipped; the others wait for a slot.
pub(crate) fn judge_due(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    id: &AutomationId,
) -> Result<(), TurnStop> {
    // An automation already changed by this turn is judged by the next turn.
    if draft.automations.contains_key(id) || draft.is_automation_deleted(id) {
        return Ok(());
    }
    let Some(kept) = turn.memory.schedule.find(id) else { return Ok(()) };
    judge_next(turn, draft, &OccurrenceReview { kept: kept.clone(), passed: 0 })
}

/// Judges the next occurrence of an automation. If it is skipped, the one after it is judged.
pub(crate) fn judge_next(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    judging: &OccurrenceReview,
) -> Result<(), TurnStop> {
    let OccurrenceReview { kept: ScheduledAutomation { mut automation, revision }, passed } = judging.clone();
    let due_at = automation.next_undecided_occurrence().filter(|at| *at <= draft.now);
    let Some(at) = due_at.filter(|_| passed < occurrences_per_turn(turn)) else {
        end_judging(
            turn,
            draft,
            OccurrenceReview { kept: ScheduledAutomation { automation, revision }, passed },
        );
        return Ok(());
    };
    let OccurrenceStatus { is_decided, next } = turn
        .ask(OccurrenceQuestion {
            automation: automation.id.clone(),
            trigger: automation.trigger.clone(),
            at,
        })?
        .clone();
    let (due, attention) = due_occurrence(turn, draft, &automation, at, next);
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
                if why == SkipReason::Overlap {
                    let run = find_oldest_run(turn, draft, &automation.id).map(|(_, run)| run);
                    draft.record_blocking_run(run);
                }
            }
            OccurrenceDecision::Wait | OccurrenceDecision::Run => {
                if passed == 0 {
                    let look = next_review_time(&automation, due, draft.now);
                    draft.aside.waits.insert(automation.id.clone(), (at, look));
                }
                end_judging(
                    turn,
                    draft,
                    OccurrenceReview { kept: ScheduledAutomation { automation, revision }, passed },
                );
                return Ok(());
            }
        }
    }
    (automation.next_at, automation.attention) = (due.following, attention);
    let judging = OccurrenceReview { kept: ScheduledAutomation { automation, revision }, passed: passed + 1 };
    draft.aside.next.push(TurnStage::JudgeNext(Box::new(judging)));
    Ok(())
}

/// Skips every occurrence of an automation that was due until now and waits: none of them ever runs.
pub(crate) fn skip_due(draft: &mut TurnDraft, automation: &Automation, why: SkipReason) {
    if let Some(at) = automation.next_undecided_occurrence().filter(|at| *at <= draft.now) {
        let automation = automation.clone();
        draft.aside.next.push(TurnStage::SkipNext(Box::new(OccurrenceSkip { automation, at, why })));
    }
}

pub(crate) fn skip_next(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    skipping: &OccurrenceSkip,
) -> Result<(), TurnStop> {
    let OccurrenceSkip { automation, at, why } = skipping;
    let OccurrenceStatus { is_decided, next } = turn
        .ask(OccurrenceQuestion {
            automation: automation.id.clone(),
            trigger: automation.trigger.clone(),
            at: *at,
        })?
        .clone();
    let is_drafted = |known: &Occurrence| known.automation == automation.id && known.at == *at;
    if !is_decided && !draft.occurrences.iter().any(is_drafted) {
        draft.record_occurrence(automation, *at, RunCause::Scheduled, OccurrenceOutcome::Skipped(*why));
    }
    if let Some(at) = next.ok().flatten().filter(|at| *at <= draft.now) {
        draft.aside.next.push(TurnStage::SkipNext(Box::new(OccurrenceSkip { at, ..skipping.clone() })));
    }
    Ok(())
}

fn end_judging(_turn: &TurnContext<'_>, draft: &mut TurnDraft, judging: OccurrenceReview) {
    let OccurrenceReview { kept, passed } = judging;
    if passed > 0 {
        draft.put_automation(kept.automation, kept.revision);
    } else if kept.automation.next_undecided_occurrence().is_none_or(|at| at > draft.now) {
        // The clock was set back since it was listed.
        draft.aside.not_due.push(kept);
    }
}

/// The automation whose occurrence runs next.
fn find_next_run(turn: &TurnContext<'_>, draft: &TurnDraft) -> Option<AutomationId> {
    let may_run = |id: &AutomationId| {
        let kept = turn.memory.schedule.find(id).filter(|_| !draft.automations.contains_key(id));
        kept.filter(|_| !draft.is_automation_deleted(id)).is_some_and(|kept| {
            let Some(at) = kept.automation.next_undecided_occurrence().filter(|at| *at <= draft.now) else {
                return false;
            };
            let due =
                DueOccurrence { at, following: None, running_since: find_running_since(turn, draft, id) };
            decide_occurrence(&kept.automation.policies, due, draft.now) == OccurrenceDecision::Run
        })
    };
    let is_unchanged = |(_, id): &(Timestamp, &AutomationId)| !draft.aside.is_listed(id);
    let known = turn.memory.schedule.waiting_since().filter(is_unchanged).find(|(_, id)| may_run(id));
    let news = draft.aside.waiting().into_iter().find(|(_, id)| may_run(id));
    known.into_iter().chain(news).min().map(|(_, id)| id.clone())
}

/// Creates the run of a due occurrence.
pub(crate) fn begin_due(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    id: &AutomationId,
) -> Result<(), TurnStop> {
    let Some(ScheduledAutomation { mut automation, revision }) = turn.memory.schedule.find(id).cloned()
    else {
        return Ok(());
    };
    let Some(at) = automation.next_undecided_occurrence() else { return Ok(()) };
    let next = turn.ask(NextDueQuestion { trigger: automation.trigger.clone(), after: at })?.clone();
    let (due, attention) = due_occurrence(turn, draft, &automation, at, next);
    let session = draw_session_id(turn, draft)?;
    let run = AutomationRunRequest {
        automation: &automation,
        session: &session,
        at,
        cause: RunCause::Scheduled,
        event: None,
        reporter: None,
    };
    let (became, attention) = match begin_run(turn, draft, &run) {
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
fn due_occurrence(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    automation: &Automation,
    at: Timestamp,
    next: Result<Option<Timestamp>, LocalizedMessage>,
) -> (DueOccurrence, Option<String>) {
    let (following, attention) = match next {
        Ok(following) => (following, None),
        Err(why) => (None, Some(why.render(texts(draft)))),
    };
    let running_since = find_running_since(turn, draft, &automation.id);
    (DueOccurrence { at, following, running_since }, attention)
}

/// When the oldest run of an automation that has not ended was created.
fn find_running_since(turn: &TurnContext<'_>, draft: &TurnDraft, id: &AutomationId) -> Option<Timestamp> {
    find_oldest_run(turn, draft, id).map(|(made, _)| made)
}

/// The oldest run of an automation that has not ended, and when it was created.
fn find_oldest_run(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    id: &AutomationId,
) -> Option<(Timestamp, SessionId)> {
    let committed = turn
        .memory
        .schedule
        .runs(id)
        .filter(|(session, _)| !draft.sessions.contains_key(*session) && !draft.is_deleted(session))
        .map(|(session, made)| (made, session.clone()));
    let drafted = draft
        .sessions
        .values()
        .filter(|drafted| drafted.phase.end_reason().is_none())
        .map(|drafted| &drafted.facts)
        .filter(|facts| run_of(facts).as_ref() == Some(id))
        .map(|facts| (facts.created_at, facts.id.clone()));
    committed.chain(drafted).min()
}

fn has_room(turn: &TurnContext<'_>, draft: &TurnDraft) -> bool {
    let rules = draft.body.settings.slot_rules();
    has_room_for_run(&list_seats(&turn.memory, draft), &rules, draft.now)
}

/// The watchdog: examines the runs that hold a slot and spares those whose work has a limit ahead.
pub(crate) fn queue_heartbeats(turn: &TurnContext<'_>, draft: &mut TurnDraft) -> Result<(), TurnStop> {
    let is_run = |seat: &&PlacementCandidate| seat.kind != SessionKind::Chat && seat.slot == Slot::Held;
    let held: Vec<SessionId> =
        turn.memory.seats.values().filter(is_run).map(|seat| seat.session.clone()).collect();
    let limited = match held.is_empty() {
        true => &BTreeSet::new(),
        false => turn.ask(LimitedSessionsQuestion(held.clone()))?,
    };
    draft.aside.is_sparing = Some(!limited.is_empty());
    let lost = held.into_iter().filter(|session| !limited.contains(session));
    draft.aside.next.extend(lost.map(TurnStage::Heartbeat));
    Ok(())
}

/// Gives a run its heartbeat input, which decides whether it is lost.
pub(crate) fn send_heartbeat(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<(), TurnStop> {
    if draft_session(turn, draft, session)? {
        turn.apply_input(draft, session, Input::SchedulerHeartbeat)?;
    }
    Ok(())
}

/// The next time, later than now, at which the verdict on a waiting occurrence may change without an event.
fn next_review_time(automation: &Automation, due: DueOccurrence, now: Timestamp) -> Option<Timestamp> {
    let catch_up = automation.policies.catch_up;
    let superseded = due.following.filter(|_| catch_up.latest_only);
    let too_late = catch_up.window.map(|window| due.at.plus(window).plus(Millis(1)));
    superseded.into_iter().chain(too_late).min().map(|look| look.max(now.plus(Millis(1))))
}
