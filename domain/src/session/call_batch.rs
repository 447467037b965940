//! The calls of one reply (or of one message's enrichments) until each has its result.
//!
//! [`advance`] returns the phase of a batch; the module `result_messages` adds its results to the conversation.

mod approval;
mod counters;
mod dependent_results;
mod failed_approval;
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
pub(crate) use approval::{approve_as_person, expire_undecided, mark_calls_needing_approval};
pub(crate) use counters::{failure_signature, note_failure};
pub(crate) use dependent_results::find_duplicates;
use dependent_results::settle_dependent_calls;
use failed_approval::record_failed_approval;
use follow_up::finish_batch;
pub use plan_gate::waits_for_plan;
pub(crate) use result_messages::append_batch_results;

/// The calls of one reply, with the options of that reply.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallBatch {
    /// Source of the calls.
    pub origin: BatchOrigin,
    /// The calls in the order they were requested.
    pub calls: Vec<Call>,
    /// Text shown after all actions succeeded.
    pub post_text: Option<String>,
    /// The model wants another round after its actions succeeded.
    pub keep_control: bool,
    /// Remarks for the model, sent with the results.
    pub remarks: Vec<LocalizableText>,
    /// A person rejected an action with a reason.
    pub refused_with_reason: bool,
    /// Deadline for open decisions; `None` if none is open, and in journals of v0.1, where the waiting phase holds the
    /// deadline.
    pub asked_until: Option<Deadline>,
    /// Set if nothing new may start and only running calls are awaited.
    pub halt: Option<BatchHalt>,
}

/// Source of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BatchOrigin {
    /// A reply of the model.
    Reply,
    /// The enrichments of messages; the next round has this reason.
    Enrichments(RoundReason),
}

/// The state that follows a halted batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BatchHalt {
    /// The session rests.
    Rest,
    /// The run rests until a person looks at it: too many process starts died in it.
    Quarantine,
    /// The session ends.
    End(EndReason),
}

impl CallBatch {
    /// Creates the batch of the enrichments of joined messages.
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

    /// The call with this id.
    pub fn call(&self, id: &crate::id::CallId) -> Option<&Call> {
        self.calls.iter().find(|call| call.id == *id)
    }

    /// The calls that wait for a person's decision.
    pub fn undecided(&self) -> impl Iterator<Item = &Call> {
        self.calls.iter().filter(|call| matches!(call.state, CallState::WaitingDecision))
    }

    /// Whether no action may start before all calls are decided. That applies to v0.1, whose journals have no cards;
    /// since then an action starts in its turn even while others are undecided.
    pub(crate) fn waits_for_all_decisions(&self) -> bool {
        self.undecided().any(|call| call.card.is_none())
    }

    /// The unfinished calls that a call waits for: all earlier ones for an ordered action, the earlier actions of the
    /// same server or resource for a query.
    pub fn calls_before<'a>(&'a self, call: &'a Call) -> impl Iterator<Item = &'a Call> {
        let earlier = self.calls.iter().take_while(|earlier| earlier.id != call.id);
        earlier.filter(|earlier| !earlier.is_finished()).filter(|earlier| match call.kind {
            CommandKind::Query => call.reads_state_of(earlier),
            CommandKind::Action => call.is_ordered(),
        })
    }

    /// The index of an undecided call with this id.
    pub(crate) fn undecided_at(&self, id: &crate::id::CallId) -> Option<usize> {
        self.calls.iter().position(|call| call.id == *id && matches!(call.state, CallState::WaitingDecision))
    }

    /// Whether a call runs, waits for its next attempt, or waits for the policy.
    pub(crate) fn is_busy(&self) -> bool {
        self.calls.iter().any(|call| call.is_under_way() || call.awaits_policy())
    }

    /// Whether an agent works, or waits for a person, on behalf of a call.
    pub(crate) fn has_child_at_work(&self) -> bool {
        self.calls.iter().any(|call| call.is_started() && call.is_answered_by_agent())
    }

    /// Whether only agents or decisions are awaited: the batch itself has nothing to do.
    pub(crate) fn waits_for_children(&self) -> bool {
        let own = |call: &Call| match &call.state {
            CallState::Started { .. } => !call.is_answered_by_agent(),
            CallState::Delayed { .. } => true,
            CallState::Proposed | CallState::Approved(_) => {
                self.halt.is_none() && (call.awaits_policy() || is_next(self, call))
            }
            CallState::Follows(_) | CallState::WaitingDecision | CallState::Finished { .. } => false,
        };
        self.has_child_at_work() && !self.calls.iter().any(own)
    }

    /// Whether a call names the state that it reads or changes; false in journals of earlier versions.
    pub(crate) fn names_state(&self) -> bool {
        self.calls.iter().filter_map(|call| call.terms.as_ref()).any(|terms| !terms.state_scopes.is_empty())
    }

    /// Whether an action other than an agent's is in progress.
    pub(crate) fn has_own_action_under_way(&self) -> bool {
        self.calls.iter().any(|call| {
            call.kind == CommandKind::Action && call.is_under_way() && !call.is_answered_by_agent()
        })
    }

    /// Whether a call other than an agent's is in progress.
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

/// Returns the phase of a batch: first the queries that wait for nothing, then approvals, then actions in their order,
/// then its end. A query that needs approval, or that stands after an action of its server or resource, runs once that
/// is decided or done.
pub(crate) fn advance(step: &mut TransitionContext<'_>, mut batch: CallBatch) -> Phase {
    settle_dependent_calls(step, &mut batch);
    if batch.undecided().next().is_none() {
        batch.asked_until = None;
    }
    let (set_back, now) = (step.rules.set_back, step.now);
    let goes_on =
        |call: &Call| call.kind == CommandKind::Query && can_proceed_unattended(&batch, call, set_back, now);
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
                // The next cleared action runs while a person decides on the others.
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

/// Whether a call is running, waits for the policy, or may start without a person's decision.
fn can_proceed_unattended(
    batch: &CallBatch,
    call: &Call,
    set_back: ClockSetbackPolicy,
    now: Timestamp,
) -> bool {
    match &call.state {
        CallState::Started { .. } | CallState::Delayed { .. } => true,
        CallState::Proposed | CallState::Approved(_) if call.awaits_policy() => true,
        CallState::Proposed | CallState::Approved(_) => match start_clearance(call, set_back, now) {
            StartClearance::Free | StartClearance::Spend(_) => is_next(batch, call),
            StartClearance::AskFirst | StartClearance::NotItsTurn => false,
        },
        CallState::Follows(_) | CallState::WaitingDecision | CallState::Finished { .. } => false,
    }
}

/// Cancels calls that have not started and marks calls that may have happened as unknown; `force` also gives up running
/// calls. The following phase waits for the rest.
pub(crate) fn halt(
    step: &mut TransitionContext<'_>,
    mut batch: CallBatch,
    halt: BatchHalt,
    force: bool,
) -> Phase {
    batch.halt = Some(match batch.halt {
        // A later interrupt does not keep an ending session alive or replace its end reason.
        Some(BatchHalt::End(reason)) => BatchHalt::End(reason),
        // Nor may an interrupt resume a run that a person has to look at.
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
        // The agent's session ends by itself and reports that.
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

/// Finishes a call with a result of this status.
pub(crate) fn end_call(
    step: &mut TransitionContext<'_>,
    call: &mut Call,
    status: CallStatus,
    content: impl Into<LocalizableText>,
) {
    end_call_with(step, call, CallResult::new(status, content, step.now));
}

/// Finishes a call with this result.
pub(crate) fn end_call_with(step: &mut TransitionContext<'_>, call: &mut Call, result: CallResult) {
    let followed = matches!(call.state, CallState::Follows(_));
    if result.status == CallStatus::Unknown && !followed {
        step.facts.unsettled.push(call.id.clone());
    }
    remember_task(step, call, result.status);
    remember_schemas(step, call, &result);
    record_failed_approval(step, call, &result);
    plan_gate::apply_plan_result(step, call, &result);
    call.state = CallState::Finished { result, decision: call.decision().cloned() };
    step.record.record_call(call);
}

/// Remembers the task of a call that ends without an answer, because the task may have begun and may still report.
fn remember_task(step: &mut TransitionContext<'_>, call: &Call, status: CallStatus) {
    let Some(task) = call.task().filter(|task| task.is_registered && call.is_under_way()) else { return };
    match status {
        CallStatus::Unknown | CallStatus::TimedOut => step.facts.tasks.push(task.id.clone()),
        CallStatus::Cancelled => step.facts.remember_overdue(task.id.clone()),
        // The task is already open since the call was accepted.
        CallStatus::Accepted
        // The work was done, or certainly not done.
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

/// Remembers the schemas that a successful answer shows.
pub(crate) fn remember_schemas(step: &mut TransitionContext<'_>, call: &Call, result: &CallResult) {
    if let (false, Some(terms)) = (result.is_error(), &call.terms) {
        step.facts.remember_schemas(&terms.shows);
    }
}
