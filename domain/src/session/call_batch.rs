//! The calls of one reply (or of one message's enrichments) on their way to their results.
//!
//! [`advance`] says in which phase a batch stands; [`tell`] brings its results into the conversation.

mod approval;
mod counters;
mod dependent_results;
mod follow_up;
pub(crate) mod plan_gate;
pub(crate) mod requested_calls;
mod result_messages;

use crate::call::{Call, CallResult, CallState, CallStatus};
use crate::command::CommandKind;
use crate::localizable_text::{LocalizableText, sentences};
use crate::session::round::RoundReason;
use crate::session::start_gate::{StartClearance, is_next, may_begin, start_clearance};
use crate::session::{ClockSetbackPolicy, EndReason, Phase, RequestedCall, TransitionContext};
use crate::time::{Deadline, Timestamp};

use approval::{apply_unattended_policy, unattended_policy, wait_for_approval};
pub(crate) use approval::{approve, expire_undecided, mark_calls_needing_approval};
pub(crate) use counters::{failure_signature, note_failure};
pub(crate) use dependent_results::find_duplicates;
use dependent_results::settle_dependent_calls;
use follow_up::finish_batch;
pub use plan_gate::waits_for_plan;
pub(crate) use result_messages::append_batch_results;

/// The calls of one reply, and what follows them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallBatch {
    /// Where they come from.
    pub origin: BatchOrigin,
    /// The calls, in the order they were asked for.
    pub calls: Vec<Call>,
    /// Text to show once all actions succeeded.
    pub post_text: Option<String>,
    /// The model wants to speak again after its actions succeeded.
    pub keep_control: bool,
    /// What else the model should be told with the results.
    pub remarks: Vec<LocalizableText>,
    /// A person refused an action and said why.
    pub refused_with_reason: bool,
    /// Until when what is asked may be decided; none where nothing is, and in journals of v0.1, where the wait has its own.
    pub asked_until: Option<Deadline>,
    /// Set when nothing new may start and what is under way is only waited for.
    pub halt: Option<BatchHalt>,
}

/// Where a batch comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BatchOrigin {
    /// A reply of the model.
    Reply,
    /// The enrichments of messages; the round that follows has this reason.
    Enrichments(RoundReason),
}

/// What follows a batch that was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BatchHalt {
    /// The session rests.
    Rest,
    /// The run rests until a person looks at it: too many starts died in it.
    Quarantine,
    /// The session ends.
    End(EndReason),
}

impl CallBatch {
    /// The calls that the enrichments of joined messages ask for.
    pub(crate) fn from_enrichments(
        step: &mut TransitionContext<'_>,
        requested: Vec<RequestedCall>,
        then: RoundReason,
    ) -> Self {
        let calls = requested_calls::admit_enrichment_queries(step, requested);
        Self { origin: BatchOrigin::Enrichments(then), ..Self::from_calls(calls) }
    }

    pub(crate) fn from_calls(calls: Vec<Call>) -> Self {
        Self {
            origin: BatchOrigin::Reply,
            calls,
            post_text: None,
            keep_control: false,
            remarks: Vec::new(),
            refused_with_reason: false,
            asked_until: None,
            halt: None,
        }
    }

    /// The call of that id.
    pub fn call(&self, id: &crate::id::CallId) -> Option<&Call> {
        self.calls.iter().find(|call| call.id == *id)
    }

    /// The calls that a person is asked about.
    pub fn undecided(&self) -> impl Iterator<Item = &Call> {
        self.calls.iter().filter(|call| matches!(call.state, CallState::WaitingDecision))
    }

    /// Whether no action begins before all are decided. So it was in v0.1, whose journals have no cards; since then an
    /// action begins when it is its turn, also while others are undecided.
    pub(crate) fn waits_for_all_decisions(&self) -> bool {
        self.undecided().any(|call| call.card.is_none())
    }

    /// The calls that have to end before an ordered action begins: those before it that have no result. None for one
    /// that may run beside the others.
    pub fn calls_before(&self, call: &Call) -> Vec<&Call> {
        if !call.is_ordered() {
            return Vec::new();
        }
        let earlier = self.calls.iter().take_while(|earlier| earlier.id != call.id);
        earlier.filter(|earlier| !earlier.is_finished()).collect()
    }

    /// Where the call of that id stands, when it is undecided.
    pub(crate) fn undecided_at(&self, id: &crate::id::CallId) -> Option<usize> {
        self.calls.iter().position(|call| call.id == *id && matches!(call.state, CallState::WaitingDecision))
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.calls
            .iter()
            .any(|call| matches!(call.state, CallState::Started { .. } | CallState::Delayed { .. }))
    }

    /// Whether an agent works for a call of it, or waits for a person.
    pub(crate) fn has_child_at_work(&self) -> bool {
        self.calls.iter().any(|call| call.is_started() && call.is_answered_by_agent())
    }

    /// Whether there is nothing that it could do itself before one of its agents has ended, or a person has decided.
    pub(crate) fn waits_for_children(&self) -> bool {
        let own = |call: &Call| match &call.state {
            CallState::Started { .. } => !call.is_answered_by_agent(),
            CallState::Delayed { .. } => true,
            CallState::Proposed | CallState::Approved(_) => self.halt.is_none() && is_next(self, call),
            CallState::Follows(_) | CallState::WaitingDecision | CallState::Finished { .. } => false,
        };
        self.has_child_at_work() && !self.calls.iter().any(own)
    }

    /// Whether something is under way that no agent does.
    pub(crate) fn has_own_work_under_way(&self) -> bool {
        self.calls.iter().any(|call| call.is_under_way() && !call.is_answered_by_agent())
    }

    fn has_unfinished_kind(&self, kind: CommandKind) -> bool {
        self.calls.iter().any(|call| call.kind == kind && !call.is_finished())
    }

    fn has_call_of_kind(&self, kind: CommandKind) -> bool {
        self.calls.iter().any(|call| call.kind == kind)
    }
}

/// The phase a batch stands in: queries first, then approval is asked, then actions, then its end. A query that
/// needs approval waits for it with the actions and runs when it has it.
pub(crate) fn advance(step: &mut TransitionContext<'_>, mut batch: CallBatch) -> Phase {
    settle_dependent_calls(step, &mut batch);
    if batch.undecided().next().is_none() {
        batch.asked_until = None;
    }
    let (set_back, now) = (step.rules.set_back, step.now);
    let goes_on =
        |call: &Call| call.kind == CommandKind::Query && can_proceed_unattended(call, set_back, now);
    if batch.calls.iter().any(goes_on) {
        return match batch.origin {
            BatchOrigin::Reply => Phase::ExecutingDataQueries(batch),
            BatchOrigin::Enrichments(_) => Phase::ExecutingEnrichments(batch),
        };
    }
    if batch.halt.is_none() && !batch.is_busy() {
        mark_calls_needing_approval(step, &mut batch);
        if batch.undecided().next().is_some() {
            match unattended_policy(step, &batch) {
                // What is cleared and next goes on while a person decides on the others.
                None if batch.calls.iter().any(|call| is_next_action(step, &batch, call)) => {}
                None => return wait_for_approval(step, batch),
                Some(policy) => {
                    apply_unattended_policy(policy, step, &mut batch);
                    return advance(step, batch);
                }
            }
        }
    }
    if batch.has_unfinished_kind(CommandKind::Action) {
        Phase::ExecutingActions(batch)
    } else {
        finish_batch(step, batch)
    }
}

fn is_next_action(step: &TransitionContext<'_>, batch: &CallBatch, call: &Call) -> bool {
    call.kind == CommandKind::Action && may_begin(batch, call, step.rules.set_back, step.now)
}

/// Whether a call is under way, or may begin without asking anybody.
fn can_proceed_unattended(call: &Call, set_back: ClockSetbackPolicy, now: Timestamp) -> bool {
    match &call.state {
        CallState::Started { .. } | CallState::Delayed { .. } => true,
        CallState::Proposed | CallState::Approved(_) => match start_clearance(call, set_back, now) {
            StartClearance::Free | StartClearance::Spend(_) => true,
            StartClearance::AskFirst | StartClearance::NotItsTurn => false,
        },
        CallState::Follows(_) | CallState::WaitingDecision | CallState::Finished { .. } => false,
    }
}

/// Cancels what has not started and marks what may have happened as unknown; `force` also gives up what is
/// under way. The phase that follows waits for what is left.
pub(crate) fn halt(
    step: &mut TransitionContext<'_>,
    mut batch: CallBatch,
    halt: BatchHalt,
    force: bool,
) -> Phase {
    batch.halt = Some(match batch.halt {
        // What is about to end is not kept alive by a later interrupt, and keeps its first reason.
        Some(BatchHalt::End(reason)) => BatchHalt::End(reason),
        // Nor does an interrupt let a run go on that a person has to look at.
        Some(BatchHalt::Quarantine) if halt == BatchHalt::Rest => BatchHalt::Quarantine,
        Some(BatchHalt::Rest | BatchHalt::Quarantine) | None => halt,
    });
    for call in &mut batch.calls {
        let may_have_happened = match &call.state {
            CallState::Finished { .. } => continue,
            CallState::Proposed
            | CallState::Follows(_)
            | CallState::WaitingDecision
            | CallState::Approved(_) => false,
            CallState::Started { .. } | CallState::Delayed { .. } => call.kind == CommandKind::Action,
        };
        // The session of an agent ends by itself, and says so.
        if may_have_happened && call.is_started() && (!force || call.is_answered_by_agent()) {
            continue;
        }
        if may_have_happened {
            end_call(step, call, CallStatus::Unknown, sentences::outcome_unknown());
        } else {
            end_call(step, call, CallStatus::Cancelled, sentences::stopped());
        }
    }
    advance(step, batch)
}

/// Gives a call its one result.
pub(crate) fn end_call(
    step: &mut TransitionContext<'_>,
    call: &mut Call,
    status: CallStatus,
    content: impl Into<LocalizableText>,
) {
    end_call_with(step, call, CallResult::new(status, content, step.now));
}

/// Gives a call its one result.
pub(crate) fn end_call_with(step: &mut TransitionContext<'_>, call: &mut Call, result: CallResult) {
    let followed = matches!(call.state, CallState::Follows(_));
    if result.status == CallStatus::Unknown && !followed {
        step.facts.unsettled.push(call.id.clone());
    }
    remember_task(step, call, result.status);
    remember_schemas(step, call, &result);
    plan_gate::apply_plan_result(step, call, &result);
    call.state = CallState::Finished { result, decision: call.decision().cloned() };
    step.record.record_call(call);
}

/// A call that ends without an answer may have begun its task: more may be heard of it.
fn remember_task(step: &mut TransitionContext<'_>, call: &Call, status: CallStatus) {
    let Some(task) = call.task().filter(|task| task.is_registered && call.is_under_way()) else { return };
    match status {
        CallStatus::Unknown | CallStatus::TimedOut => step.facts.tasks.push(task.id.clone()),
        CallStatus::Cancelled => step.facts.remember_overdue(task.id.clone()),
        // Its task is open since it was accepted.
        CallStatus::Accepted
        // It was done, or for certain not.
        | CallStatus::Succeeded
        | CallStatus::Cached
        | CallStatus::Duplicate
        | CallStatus::Failed
        | CallStatus::InvalidArguments
        | CallStatus::UnknownCommand
        | CallStatus::Malformed
        | CallStatus::SchemaRequired
        | CallStatus::Forbidden
        | CallStatus::PlanFirst
        | CallStatus::OverLimit
        | CallStatus::Repeated
        | CallStatus::RepeatedReply
        | CallStatus::Rejected
        | CallStatus::Expired => {}
    }
}

/// The answer of a call may show schemas.
pub(crate) fn remember_schemas(step: &mut TransitionContext<'_>, call: &Call, result: &CallResult) {
    if let (false, Some(terms)) = (result.is_error(), &call.terms) {
        step.facts.remember_schemas(&terms.shows);
    }
}
