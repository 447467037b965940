//! The invariants of every step and every state. Each has a name.

use entracte_domain::call::{Call, CallOutcome, CallState, CallStatus, CallStep};
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::id::CallId;
use entracte_domain::message::MessageBody;
use entracte_domain::plan::{PlanCommand, PlanMode};
use entracte_domain::session::failure::{FailureClass, ModelFailure};
use entracte_domain::session::{
    ContextSummary, Effect, IgnoreReason, Input, JournalNote, LogAppend, Phase, SessionFacts, SessionKind,
    SessionRules, SummaryMethod, TransitionRecord, deadline_at, may_work,
};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::validation::Approval;

use super::super::show_phase;
use super::call_order::query_follows_its_changes;
use super::explored_state::ExploredState;
use super::{BrokenInvariant, ExplorationConfig, ExplorationReport};

/// One input with its state before and its effect.
pub(super) struct ExploredTransition<'a> {
    pub(super) facts: &'a SessionFacts,
    pub(super) phase: &'a Phase,
    pub(super) input: &'a Input,
    pub(super) record: TransitionRecord,
}

/// Counters computed from the journal, independent of the machine's own counters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct JournaledCounters {
    rounds: u32,
    format_errors: u32,
    equal: Option<(Vec<String>, u32)>,
    failed_actions: u32,
    queries: u32,
    closing: u32,
}

impl JournaledCounters {
    /// Counts one input.
    pub(super) fn count_input(&mut self, kind: SessionKind, input: &Input, record: &TransitionRecord) {
        if is_human_act(input) {
            self.begin_anew(kind);
        }
        for entry in &record.appended {
            match entry {
                LogAppend::Message(_) => {}
                LogAppend::Note(note) => self.note(kind, note),
            }
        }
    }

    /// The counters that the rules limit.
    pub(super) fn limited_by(&self, rules: &SessionRules) -> Self {
        let mut counts = self.clone();
        let unless = |limit: u32, count: &mut u32| {
            if limit == 0 {
                *count = 0;
            }
        };
        unless(rules.format_errors, &mut counts.format_errors);
        unless(rules.failed_action_rounds, &mut counts.failed_actions);
        unless(rules.query_rounds, &mut counts.queries);
        if rules.equal_failures == 0 {
            counts.equal = None;
        }
        counts
    }

    fn begin_anew(&mut self, kind: SessionKind) {
        let rounds = match kind {
            SessionKind::Chat | SessionKind::Seed => 0,
            SessionKind::Automation | SessionKind::Agent => self.rounds,
        };
        *self = Self { rounds, ..Self::default() };
    }

    fn note(&mut self, kind: SessionKind, note: &JournalNote) {
        match note {
            JournalNote::MessagesJoined(_) => self.begin_anew(kind),
            JournalNote::RoundStarted { closing, .. } => {
                self.rounds += 1;
                self.closing += u32::from(*closing);
            }
            JournalNote::ParseErrorOccurred { faults } => {
                self.format_errors += 1;
                let known = self.equal.take().filter(|(known, _)| known == faults);
                self.equal = Some((faults.clone(), known.map_or(1, |(_, times)| times + 1)));
            }
            JournalNote::AiResponseParsed => {
                self.format_errors = 0;
                self.equal = None;
            }
            JournalNote::DataQueriesExecuted => {
                self.queries += 1;
                self.failed_actions = 0;
            }
            JournalNote::ActionsExecuted => {
                self.queries = 0;
                self.failed_actions += 1;
            }
            // If actions end without this message right after them, none failed: see `settle`.
            _ => {}
        }
    }

    /// Actions without a failure reset the count of consecutive failures.
    fn settle(&mut self, record: &TransitionRecord) {
        let has = |wanted: &JournalNote| {
            record.appended.iter().any(|entry| *entry == LogAppend::Note(wanted.clone()))
        };
        if has(&JournalNote::ActionsExecuted) && !has(&JournalNote::ActionFailureOccurred) {
            self.failed_actions = 0;
        }
    }
}

fn is_human_act(input: &Input) -> bool {
    matches!(
        input,
        Input::UserMessageSent(_)
            | Input::CommunicationResponseReceived { .. }
            | Input::ValidationReceived { .. }
            | Input::SessionActivationRequested { .. }
            | Input::CompletionRejected { .. }
    )
}

/// Checks one step.
pub(super) fn check_step(
    exploration: &ExplorationConfig,
    taken: &ExploredTransition<'_>,
    world: &mut ExploredState,
) -> Result<(), BrokenInvariant> {
    world.counts.settle(&taken.record);
    limits(exploration, taken, world)?;
    one_result_each(taken, world)?;
    approval_is_spent(taken, world)?;
    let calls = world.phase.batch().map_or(&[][..], |batch| &batch.calls);
    query_follows_its_changes(&taken.record.calls, calls)?;
    a_plan_comes_first(exploration, taken)?;
    messages_are_kept(taken, world)?;
    each_provider_once_a_round(taken, world)?;
    time_moves_on(exploration, taken, world)
}

/// No round starts beyond a limit.
fn limits(
    exploration: &ExplorationConfig,
    taken: &ExploredTransition<'_>,
    world: &ExploredState,
) -> Result<(), BrokenInvariant> {
    let rules = &exploration.rules;
    let counts = &world.counts;
    let beyond = |what: &str| Err(BrokenInvariant::new("no_path_goes_beyond_a_limit", what));
    let closing_calls = match world.facts.kind {
        SessionKind::Chat | SessionKind::Automation => 1,
        SessionKind::Seed | SessionKind::Agent => 0,
    };
    if counts.closing > closing_calls {
        return beyond("closing calls");
    }
    if counts.rounds > exploration.most_rounds() + closing_calls {
        return beyond("rounds");
    }
    let over = |count: u32, limit: u32| limit > 0 && count >= limit;
    if rules.query_rounds > 0 && counts.queries > rules.query_rounds {
        return beyond("query rounds");
    }
    let began = taken
        .record
        .appended
        .iter()
        .any(|entry| matches!(entry, LogAppend::Note(JournalNote::RoundStarted { closing: false, .. })));
    if began && over(counts.format_errors, rules.format_errors) {
        return beyond("format errors");
    }
    let equal = counts.equal.as_ref().map_or(0, |(_, times)| *times);
    if began && over(equal, rules.equal_failures) {
        return beyond("equal failures");
    }
    if began && over(counts.failed_actions, rules.failed_action_rounds) {
        return beyond("failed actions");
    }
    Ok(())
}

/// A fallback provider was not called before in the round; the round stays the same, and a generation starts.
fn each_provider_once_a_round(
    taken: &ExploredTransition<'_>,
    world: &ExploredState,
) -> Result<(), BrokenInvariant> {
    let fell_back = taken.record.appended.iter().find_map(|entry| match entry {
        LogAppend::Note(JournalNote::FellBack { to, .. }) => Some(to),
        LogAppend::Note(_) | LogAppend::Message(_) => None,
    });
    let Some(to) = fell_back else { return Ok(()) };
    let (before, after) = (taken.phase.round(), world.phase.round());
    let is_new = *to != taken.facts.provider && before.is_some_and(|round| !round.has_left(to));
    let is_same = before.map(|round| round.number) == after.map(|round| round.number);
    let is_begun = world.facts.generation == taken.facts.generation + 1 && world.facts.provider == *to;
    if is_new && is_same && is_begun {
        return Ok(());
    }
    Err(BrokenInvariant::new("each_provider_once_a_round", to.clone()))
}

/// Every call gets one result, in one message.
fn one_result_each(taken: &ExploredTransition<'_>, world: &ExploredState) -> Result<(), BrokenInvariant> {
    let ids = |phase: &Phase| -> Vec<CallId> {
        phase
            .batch()
            .map(|batch| batch.calls.iter().map(|call| call.id.clone()).collect())
            .unwrap_or_default()
    };
    let mut open = ids(taken.phase);
    for call in &taken.record.calls {
        if !open.contains(&call.id) {
            open.push(call.id.clone());
        }
    }
    for id in told(&taken.record) {
        let Some(at) = open.iter().position(|known| *known == id) else {
            return Err(BrokenInvariant::new("one_result_for_each_call", format!("{id} was told twice")));
        };
        open.remove(at);
    }
    let left = ids(&world.phase);
    if open != left {
        return Err(BrokenInvariant::new(
            "one_result_for_each_call",
            format!("open {open:?}, held {left:?}"),
        ));
    }
    for call in taken.phase.batch().iter().flat_map(|batch| &batch.calls).filter(|call| call.is_finished()) {
        if taken.record.calls.iter().any(|changed| changed.id == call.id && changed != call) {
            return Err(BrokenInvariant::new(
                "one_result_for_each_call",
                format!("{} changed its result", call.id),
            ));
        }
    }
    Ok(())
}

fn told(record: &TransitionRecord) -> Vec<CallId> {
    let mut told = Vec::new();
    for entry in &record.appended {
        if let LogAppend::Message(message) = entry
            && let MessageBody::System(system) = &message.body
        {
            told.extend(system.results.iter().map(|result| result.call.clone()));
        }
    }
    told
}

/// A call that needs approval starts, or is planned, only by spending a valid approval.
fn approval_is_spent(taken: &ExploredTransition<'_>, world: &ExploredState) -> Result<(), BrokenInvariant> {
    for call in taken.record.calls.iter().filter(|call| !call.reasons.is_empty()) {
        let broken = || Err(BrokenInvariant::new("no_guarded_call_without_leave", format!("{call:?}")));
        let before = taken.phase.batch().and_then(|batch| batch.call(&call.id));
        match &call.state {
            CallState::Started { step: CallStep::Run, spent, .. } if call.attempt == 1 => {
                if !spent.as_ref().is_some_and(|spent| is_valid(spent, call, world.now)) {
                    return broken();
                }
            }
            CallState::Started { spent: None, .. } => return broken(),
            CallState::Finished { result, .. } => {
                let ran = result.status == CallStatus::Succeeded;
                if ran && !before.is_some_and(|before| had_approval(before, world.now)) {
                    return broken();
                }
            }
            CallState::Proposed
            | CallState::Follows(_)
            | CallState::WaitingDecision
            | CallState::Approved(_)
            | CallState::Started { .. }
            | CallState::Delayed { .. } => {}
        }
    }
    Ok(())
}

fn had_approval(before: &Call, now: Timestamp) -> bool {
    match &before.state {
        CallState::Approved(approval) => is_valid(approval, before, now),
        CallState::Started { spent, .. } => spent.is_some(),
        CallState::Proposed
        | CallState::Follows(_)
        | CallState::WaitingDecision
        | CallState::Delayed { .. }
        | CallState::Finished { .. } => false,
    }
}

fn is_valid(approval: &Approval, call: &Call, now: Timestamp) -> bool {
    let version = call.terms.as_ref().map(|terms| &terms.version);
    now < approval.expires.due_at
        && version == Some(&approval.version)
        && approval.command_id == *call.effective_command_id()
}

/// In plan mode, no action starts or succeeds before a person approved a plan.
fn a_plan_comes_first(
    exploration: &ExplorationConfig,
    taken: &ExploredTransition<'_>,
) -> Result<(), BrokenInvariant> {
    let approved = taken.facts.plan.as_ref().is_some_and(|plan| plan.approved_by.is_some());
    if taken.facts.mode(&exploration.rules) == PlanMode::Free || approved {
        return Ok(());
    }
    for call in &taken.record.calls {
        let is_meant = call.kind == CommandKind::Action
            && PlanCommand::from_command(&call.command) != Some(PlanCommand::Propose);
        let did = match &call.state {
            CallState::Started { .. } => true,
            CallState::Finished { result, .. } => result.status == CallStatus::Succeeded,
            CallState::Proposed
            | CallState::Follows(_)
            | CallState::WaitingDecision
            | CallState::Approved(_)
            | CallState::Delayed { .. } => false,
        };
        if is_meant && did {
            return Err(BrokenInvariant::new("a_plan_comes_first", format!("{call:?}")));
        }
    }
    Ok(())
}

/// A message waits or has joined; it is never lost.
fn messages_are_kept(taken: &ExploredTransition<'_>, world: &ExploredState) -> Result<(), BrokenInvariant> {
    let sent = usize::from(matches!(taken.input, Input::UserMessageSent(_)));
    let joined: usize = taken
        .record
        .appended
        .iter()
        .map(|entry| match entry {
            LogAppend::Note(JournalNote::MessagesJoined(ids)) => ids.len(),
            LogAppend::Note(_) | LogAppend::Message(_) => 0,
        })
        .sum();
    if taken.facts.queue.len() + sent == joined + world.facts.queue.len() {
        return Ok(());
    }
    Err(BrokenInvariant::new("messages_are_kept", taken.input.label()))
}

/// A handled wake-up is over: the next one lies in the future.
fn time_moves_on(
    exploration: &ExplorationConfig,
    taken: &ExploredTransition<'_>,
    world: &ExploredState,
) -> Result<(), BrokenInvariant> {
    let wake = deadline_at(&world.facts, &world.phase, &exploration.rules);
    if *taken.input == Input::TimeReached && wake.is_some_and(|wake| wake <= world.now) {
        return Err(BrokenInvariant::new("time_moves_on", show_phase(&world.phase)));
    }
    Ok(())
}

/// Nothing new starts without a slot.
pub(super) fn has_slot(world: &ExploredState, ran: &[Effect]) -> Result<(), BrokenInvariant> {
    match world.running.iter().find(|effect| !ran.contains(effect)) {
        Some(effect) if !may_work(&world.facts) => {
            Err(BrokenInvariant::new("nothing_starts_without_a_slot", format!("{effect:?}")))
        }
        Some(_) | None => Ok(()),
    }
}

/// No action of class `once` runs twice.
pub(super) fn once_at_most(world: &ExploredState) -> Result<(), BrokenInvariant> {
    let Some(batch) = world.phase.batch() else { return Ok(()) };
    for call in batch.calls.iter().filter(|call| call.effect_class() == EffectClass::Once) {
        let runs = world.runs.iter().find(|(id, _)| *id == call.id).map_or(0, |(_, times)| *times);
        if runs > 1 || call.attempt > 1 {
            return Err(BrokenInvariant::new(
                "once_is_never_started_twice",
                format!("{} runs of {}", runs, call.id),
            ));
        }
    }
    Ok(())
}

/// Outcomes and answers that must not count a second time.
pub(super) fn must_not_count_twice(input: &Input) -> bool {
    matches!(
        input,
        Input::AiResponseReceived(_)
            | Input::NetworkErrorOccurred { .. }
            | Input::ProviderErrorOccurred { .. }
            | Input::CallFinished { .. }
            | Input::PolicyAnswered { .. }
            | Input::BudgetReached { .. }
            | Input::SpendingRefused { .. }
            | Input::ContextCompacted { .. }
            | Input::CompactionFailed { .. }
            | Input::ValidationReceived { .. }
            | Input::CommunicationResponseReceived { .. }
    )
}

/// Duplicate or late inputs change nothing.
pub(super) fn are_ignored(
    exploration: &ExplorationConfig,
    world: &ExploredState,
    inputs: impl IntoIterator<Item = Input>,
    report: &mut ExplorationReport,
) -> Result<(), BrokenInvariant> {
    // An ignored input leaves the copy equal to the state, so one copy is enough for all of them.
    let (mut facts, mut phase) = (world.facts.clone(), world.phase.clone());
    for input in inputs {
        let label = input.label();
        let taken =
            exploration.variant.transition(&mut facts, &mut phase, input, world.now, &exploration.rules);
        let Err(why) = taken else {
            return Err(BrokenInvariant::new("late_copies_change_nothing", label));
        };
        check_unchanged((&facts, &phase), (&world.facts, &world.phase), label)?;
        report.record_transition(world.phase.label().word(), label, ignored_reason(why));
    }
    Ok(())
}

/// An ignored input left the state as it was.
pub(super) fn check_unchanged(
    after: (&SessionFacts, &Phase),
    before: (&SessionFacts, &Phase),
    label: &str,
) -> Result<(), BrokenInvariant> {
    if after == before {
        return Ok(());
    }
    Err(BrokenInvariant::new("ignored_input_changes_nothing", label))
}

/// The name in the table for the reason why an input was ignored.
pub(super) fn ignored_reason(why: IgnoreReason) -> &'static str {
    match why {
        IgnoreReason::Stale => "ignored: stale",
        IgnoreReason::Duplicate => "ignored: duplicate",
        IgnoreReason::Conflict => "ignored: conflict",
        IgnoreReason::NotApplicable => "ignored: not applicable",
        IgnoreReason::NotDue => "ignored: not due",
        IgnoreReason::Ended => "ignored: ended",
        IgnoreReason::QueueFull => "ignored: queue full",
        IgnoreReason::NeverRun => "ignored: never run",
        IgnoreReason::FourEyes(_) => "ignored: four eyes",
    }
}

/// Late copies of outcomes of earlier attempts change nothing.
pub(super) fn check_late_outcomes_ignored(
    exploration: &ExplorationConfig,
    world: &ExploredState,
    report: &mut ExplorationReport,
) -> Result<(), BrokenInvariant> {
    are_ignored(exploration, world, late_copies(world), report)
}

fn late_copies(world: &ExploredState) -> Vec<Input> {
    let mut late = Vec::new();
    let (round, attempt) = world.phase.round().map_or((1, 1), |round| (round.number, round.attempt));
    let failure = ModelFailure {
        class: FailureClass::Lost,
        message: "late".into(),
        retry_after: None,
        jitter: Millis(0),
        found_by_start: None,
        instead: None,
    };
    late.push(Input::ProviderErrorOccurred {
        round,
        attempt: attempt.saturating_sub(1),
        failure,
        usage: None,
    });
    late.push(Input::ContextCompacted {
        round,
        attempt: attempt.saturating_sub(1),
        summary: Box::new(ContextSummary {
            text: "late".into(),
            items: Vec::new(),
            kept_from: None,
            folded: Vec::new(),
            files_from: None,
            covers_to: 0,
            method: SummaryMethod::Words,
        }),
        asked: None,
        usage: None,
        prefix: None,
    });
    for call in world.phase.batch().iter().flat_map(|batch| &batch.calls) {
        if call.attempt == 0 {
            continue;
        }
        let attempt = if call.is_started() { call.attempt - 1 } else { call.attempt };
        late.push(Input::CallFinished { call: call.id.clone(), attempt, outcome: CallOutcome::TimedOut });
    }
    late
}
