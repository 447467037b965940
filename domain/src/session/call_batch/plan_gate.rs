//! Plan mode: refuses actions that need an approved plan first, and applies the two plan commands.

use crate::call::{Call, CallResult, CallState, CallStatus};
use crate::command::{CommandKind, EffectClass};
use crate::localizable_text::{LocalizableText, sentences};
use crate::plan::{Plan, PlanCommand, PlanMode, PlanStepProgress};
use crate::session::call_batch::{advance, end_call};
use crate::session::{
    CallBatch, CallLookup, JournalNote, Phase, RequestedCall, SessionFacts, SessionRules, TransitionContext,
};

/// Whether the actions of a reply are admitted.
pub(super) enum PlanGate {
    /// They are admitted.
    Open,
    /// They are refused with this text; queries and plan proposals are not.
    Shut(LocalizableText),
}

impl PlanGate {
    /// Evaluates a reply with these calls. An approved plan counts until its last step is done or skipped. A reply that
    /// proposes another plan may not act as well, because it is open which of the two counts.
    pub(super) fn for_reply(facts: &SessionFacts, rules: &SessionRules, requested: &[RequestedCall]) -> Self {
        let proposes =
            requested.iter().any(|call| requested_plan_command(call) == Some(PlanCommand::Propose));
        match (facts.mode(rules), approved(facts)) {
            (PlanMode::Free, _) => PlanGate::Open,
            (PlanMode::Plan, _) if proposes => PlanGate::Shut(sentences::plan_alone()),
            (PlanMode::Plan, None) => PlanGate::Shut(plan_first()),
            (PlanMode::Plan, Some(plan)) if plan.is_unfinished() => PlanGate::Open,
            (PlanMode::Plan, Some(_)) => PlanGate::Shut(sentences::plan_over(PlanCommand::Propose.word())),
        }
    }
}

/// The plan, if a person approved it.
fn approved(facts: &SessionFacts) -> Option<&Plan> {
    facts.plan.as_ref().filter(|plan| plan.approved_by.is_some())
}

/// Why a call is refused because of plans: an action without an approved plan, an invalid proposal, or an unknown step.
pub(super) fn refusal(
    step: &TransitionContext<'_>,
    gate: &PlanGate,
    call: &RequestedCall,
) -> Option<CallResult> {
    let command = &call.command;
    match (call.kind, requested_plan_command(call), gate) {
        (CommandKind::Query, _, _) => None,
        (CommandKind::Action, Some(PlanCommand::Propose), _) => {
            let fault = Plan::from_proposal(&command.arguments, call.command_id.clone()).err()?;
            Some(CallResult::new(CallStatus::InvalidArguments, fault.message(), step.now))
        }
        (CommandKind::Action, Some(PlanCommand::Step) | None, PlanGate::Shut(text)) => {
            Some(CallResult::new(CallStatus::PlanFirst, text.clone(), step.now))
        }
        (CommandKind::Action, Some(PlanCommand::Step), PlanGate::Open) => step_refusal(step, call),
        (CommandKind::Action, None, PlanGate::Open) => None,
    }
}

fn step_refusal(step: &TransitionContext<'_>, call: &RequestedCall) -> Option<CallResult> {
    let Some(plan) = approved(step.facts) else {
        return Some(CallResult::new(CallStatus::PlanFirst, plan_first(), step.now));
    };
    let id = PlanStepProgress::from_arguments(&call.command.arguments)
        .map(|progress| progress.id)
        .unwrap_or_default();
    if plan.step(&id).is_some() {
        return None;
    }
    let known: Vec<&str> = plan.steps.iter().map(|step| step.id.as_str()).collect();
    let text = sentences::plan_step_unknown(&id, &known.join(", "));
    Some(CallResult {
        path: Some("/id".to_owned()),
        ..CallResult::new(CallStatus::InvalidArguments, text, step.now)
    })
}

/// The text that a plan must be proposed first, with the command's name.
fn plan_first() -> LocalizableText {
    sentences::plan_first(PlanCommand::Propose.word())
}

/// Voids the cards of all but the last plan proposal of a reply, which alone counts.
pub(super) fn void_earlier_proposals(step: &mut TransitionContext<'_>, calls: &mut [Call]) {
    let is_open = |call: &Call| {
        plan_command(call) == Some(PlanCommand::Propose) && matches!(call.state, CallState::Proposed)
    };
    let Some(last) = calls.iter().rposition(is_open) else { return };
    for call in calls[..last].iter_mut().filter(|call| is_open(call)) {
        end_call(step, call, CallStatus::Cancelled, sentences::plan_replaced());
    }
}

/// Applies a successful plan command. A plan takes effect only through a person's decision.
pub(super) fn apply_plan_result(step: &mut TransitionContext<'_>, call: &Call, result: &CallResult) {
    if result.status != CallStatus::Succeeded {
        return;
    }
    let command = call.effective_command();
    match plan_command(call) {
        Some(PlanCommand::Propose) => {
            let Some(decision) = call.decision() else { return };
            let Ok(mut plan) = Plan::from_proposal(&command.arguments, call.effective_command_id().clone())
            else {
                return;
            };
            if let Some(earlier) = &step.facts.plan {
                plan.carry_over_progress(earlier);
            }
            plan.approved_by = Some(decision.author.clone());
            step.record.add_note(JournalNote::PlanApproved(plan.clone()));
            step.facts.plan = Some(plan);
        }
        Some(PlanCommand::Step) => {
            let Some(progress) = PlanStepProgress::from_arguments(&command.arguments) else { return };
            let Some(plan) = step.facts.plan.as_mut().filter(|plan| plan.approved_by.is_some()) else {
                return;
            };
            let digest = plan.digest.clone();
            if let Some(stepped) = plan.apply_progress(progress) {
                step.record.add_note(JournalNote::PlanStepped { digest, step: stepped.clone() });
            }
        }
        None => {}
    }
}

/// Whether a plan of this reply was approved, so that the model can begin with it.
pub(super) fn has_newly_approved_plan(batch: &CallBatch) -> bool {
    batch.calls.iter().any(|call| {
        plan_command(call) == Some(PlanCommand::Propose)
            && call.result().is_some_and(|result| result.status == CallStatus::Succeeded)
    })
}

/// Whether actions of this phase are held back because a plan must be approved first.
pub fn waits_for_plan(facts: &SessionFacts, phase: &Phase, rules: &SessionRules) -> bool {
    let needs_plan = match facts.mode(rules) {
        PlanMode::Plan => approved(facts).is_none(),
        PlanMode::Free => false,
    };
    needs_plan && phase.batch().is_some_and(|batch| batch.calls.iter().any(is_unbegun_action))
}

/// Refuses actions that have not started when a plan has become necessary. Running actions continue.
pub(crate) fn refuse_actions_before_plan(step: &mut TransitionContext<'_>, phase: Phase) -> Phase {
    if !waits_for_plan(step.facts, &phase, step.rules) {
        return phase;
    }
    match phase {
        Phase::WaitingValidation { batch, .. }
        | Phase::ExecutingDataQueries(batch)
        | Phase::ExecutingActions(batch) => refuse_unbegun(step, batch),
        // Enrichments contain queries only.
        Phase::ExecutingEnrichments(_)
        | Phase::Idle
        | Phase::Parked(_)
        | Phase::CallingAi(_)
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => phase,
    }
}

fn refuse_unbegun(step: &mut TransitionContext<'_>, mut batch: CallBatch) -> Phase {
    for call in batch.calls.iter_mut().filter(|call| is_unbegun_action(call)) {
        end_call(step, call, CallStatus::PlanFirst, plan_first());
    }
    advance(step, batch)
}

/// Whether a call is an unstarted action other than a plan proposal.
fn is_unbegun_action(call: &Call) -> bool {
    let waits = match &call.state {
        CallState::Proposed | CallState::Follows(_) | CallState::WaitingDecision | CallState::Approved(_) => {
            true
        }
        CallState::Started { .. } | CallState::Delayed { .. } | CallState::Finished { .. } => false,
    };
    call.kind == CommandKind::Action && waits && plan_command(call) != Some(PlanCommand::Propose)
}

/// Whether a call was refused because a plan must come first: that is not a failure, so later calls continue.
pub(super) fn is_refused(call: &Call) -> bool {
    call.result().is_some_and(|result| result.status == CallStatus::PlanFirst)
}

/// The plan command of a call; `None` for an external command, whatever its name.
fn plan_command(call: &Call) -> Option<PlanCommand> {
    PlanCommand::from_command(&call.command).filter(|_| call.effect_class() == EffectClass::Local)
}

/// The plan command of a requested call; `None` for an external command, whatever its name.
fn requested_plan_command(call: &RequestedCall) -> Option<PlanCommand> {
    match &call.lookup {
        CallLookup::Known { terms, .. } if terms.effect == EffectClass::Local => {
            PlanCommand::from_command(&call.command)
        }
        CallLookup::Known { .. } | CallLookup::Refused { .. } => None,
    }
}
