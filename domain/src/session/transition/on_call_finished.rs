//! `CallFinished`: an attempt of a call finished. The effect class recorded at its start decides about a retry.

use crate::agent::AgentEndClass;
use crate::call::{Call, CallFailure, CallOutcome, CallResult, CallState, CallStatus, CallStep};
use crate::command::{CommandKind, EffectClass};
use crate::file::FileReference;
use crate::id::{CallId, Digest};
use crate::localizable_text::sentences;
use crate::session::call_batch::{self, BatchHalt, CallBatch};
use crate::session::{
    EndReason, JournalNote, LostReadPolicy, Phase, TransitionContext, UnknownOutcomePolicy, child_agents,
};
use crate::time::{Deadline, Millis, Timestamp};

pub(super) fn on(step: &mut TransitionContext<'_>, phase: Phase, id: &CallId, outcome: CallOutcome) -> Phase {
    let (Phase::WaitingValidation { mut batch, .. }
    | Phase::ExecutingEnrichments(mut batch)
    | Phase::ExecutingDataQueries(mut batch)
    | Phase::ExecutingActions(mut batch)) = phase
    else {
        return step.keep_unexpected(phase);
    };
    let crashed = match &outcome {
        CallOutcome::Lost { found_by_start: Some(start), .. } => step.note_crash(*start),
        CallOutcome::Lost { found_by_start: None, .. }
        | CallOutcome::Succeeded { .. }
        | CallOutcome::Accepted { .. }
        | CallOutcome::Failed(_)
        | CallOutcome::TimedOut
        | CallOutcome::Probed { .. }
        | CallOutcome::Reported { .. } => false,
    };
    let halted = batch.halt.is_some();
    if let Some(call) = batch.calls.iter_mut().find(|call| call.id == *id) {
        if halted {
            finish_halted_call(step, call, outcome);
        } else {
            finish_call(step, call, outcome);
        }
        if is_unknown(call) && stops_on_unknown(step) {
            let why = AgentEndClass::OutcomeUnknown;
            child_agents::record_end_cause(step, why, why.usual_text());
            return call_batch::halt(step, batch, BatchHalt::End(EndReason::Interrupted), false);
        }
    }
    if crashed {
        return quarantine(step, batch);
    }
    call_batch::advance(step, batch)
}

fn finish_call(step: &mut TransitionContext<'_>, call: &mut Call, outcome: CallOutcome) {
    match outcome {
        CallOutcome::Succeeded { content, files, digest } => succeed(step, call, content, files, digest),
        CallOutcome::Accepted { task, content, .. } => {
            step.facts.tasks.push(task);
            call_batch::end_call(step, call, CallStatus::Accepted, content);
        }
        // The probe failed; the action itself may have happened.
        CallOutcome::Failed(_) if is_asked(call) => handle_lost_call(step, call, None),
        CallOutcome::Failed(failure) => failed(step, call, failure),
        CallOutcome::TimedOut => match call.kind {
            CommandKind::Query => {
                call_batch::end_call(step, call, CallStatus::TimedOut, sentences::call_timed_out());
            }
            CommandKind::Action => handle_lost_call(step, call, None),
        },
        CallOutcome::Lost { lands_by, .. } => handle_lost_call(step, call, lands_by),
        CallOutcome::Probed { happened, content, digest } => match happened {
            Some(true) => succeed(step, call, content, Vec::new(), digest),
            // A "not happened" counts only as the answer of a probe.
            Some(false) | None if !is_asked(call) => handle_lost_call(step, call, None),
            Some(false) => retry_call_or(step, call, Millis(0), |step, call| {
                call_batch::end_call(step, call, CallStatus::Failed, sentences::call_tried_in_vain());
            }),
            None => unknown(step, call),
        },
        CallOutcome::Reported { report, digest } => {
            child_agents::apply_child_report(step.facts, &report);
            call_batch::end_call_with(
                step,
                call,
                child_agents::call_result_from_report(&report, digest, step.now),
            );
        }
    }
}

fn is_asked(call: &Call) -> bool {
    matches!(call.state, CallState::Started { step: CallStep::Ask, .. })
}

fn succeed(
    step: &mut TransitionContext<'_>,
    call: &mut Call,
    content: String,
    files: Vec<FileReference>,
    digest: Digest,
) {
    let result = CallResult::new(CallStatus::Succeeded, content, step.now);
    let result = CallResult { files, digest: Some(digest), ..result };
    // A local action is never marked as started: the commit of its outcome spends its approval.
    call_batch::end_call_with(step, call, result);
}

fn failed(step: &mut TransitionContext<'_>, call: &mut Call, failure: CallFailure) {
    let give_up = |step: &mut TransitionContext<'_>, call: &mut Call| {
        let result = CallResult {
            code: Some(failure.code.clone()),
            path: failure.path.clone(),
            ..CallResult::new(CallStatus::Failed, failure.message.clone(), step.now)
        };
        call_batch::end_call_with(step, call, result);
    };
    match call.effect_class() {
        EffectClass::Read | EffectClass::Idempotent if failure.retryable => {
            let delay = backoff(step, call);
            retry_call_or(step, call, delay, give_up);
        }
        EffectClass::Read
        | EffectClass::Idempotent
        | EffectClass::Local
        | EffectClass::Probe
        | EffectClass::Once
        | EffectClass::Child => give_up(step, call),
    }
}

/// Handles an unknown outcome. The request may take effect until `lands_by`; an earlier probe or retry would rely on a
/// premature "no".
fn handle_lost_call(step: &mut TransitionContext<'_>, call: &mut Call, lands_by: Option<Timestamp>) {
    let settle = Millis(call.terms.as_ref().map_or(0, |terms| terms.settle_ms));
    let settled = lands_by.map_or(Millis(0), |by| Millis(by.since(step.now).0.saturating_add(settle.0)));
    match call.effect_class() {
        EffectClass::Read => {
            let delay = backoff(step, call);
            retry_call_or(step, call, delay, end_lost_read);
        }
        EffectClass::Idempotent if !call.is_idempotency_key_expired(step.now) => {
            let delay = backoff(step, call).max(settled);
            retry_call_or(step, call, delay, unknown);
        }
        EffectClass::Probe => {
            retry_after_or(step, call, settle.max(settled), CallStep::Ask, unknown);
        }
        EffectClass::Idempotent | EffectClass::Local | EffectClass::Once => unknown(step, call),
        // The agent session exists as long as the call: the table admits no loss.
        EffectClass::Child => {}
    }
}

/// Ends a read whose answer was lost in every attempt. A long task may have begun nevertheless, so a call that starts one
/// keeps the status after which its task may still report.
fn end_lost_read(step: &mut TransitionContext<'_>, call: &mut Call) {
    let (status, code) = match step.rules.lost_read {
        LostReadPolicy::TimesOut => (CallStatus::TimedOut, None),
        LostReadPolicy::Fails if call.task().is_some() => (CallStatus::TimedOut, Some(CONNECTION_LOST)),
        LostReadPolicy::Fails => (CallStatus::Failed, Some(CONNECTION_LOST)),
    };
    let result = CallResult::new(status, sentences::call_lost(), step.now);
    let code = code.map(str::to_owned).or_else(|| result.code.clone());
    call_batch::end_call_with(step, call, CallResult { code, ..result });
}

/// Code of a read whose connection broke, or whose server ended, in every attempt.
const CONNECTION_LOST: &str = "CONNECTION_LOST";

fn unknown(step: &mut TransitionContext<'_>, call: &mut Call) {
    call_batch::end_call(step, call, CallStatus::Unknown, sentences::outcome_unknown());
}

fn retry_call_or(
    step: &mut TransitionContext<'_>,
    call: &mut Call,
    delay: Millis,
    otherwise: impl FnOnce(&mut TransitionContext<'_>, &mut Call),
) {
    retry_after_or(step, call, delay, CallStep::Run, otherwise);
}

/// Schedules another attempt after `delay`, or runs `otherwise` if the maximum of attempts is reached.
fn retry_after_or(
    step: &mut TransitionContext<'_>,
    call: &mut Call,
    delay: Millis,
    what: CallStep,
    otherwise: impl FnOnce(&mut TransitionContext<'_>, &mut Call),
) {
    if call.attempt > step.rules.call_retries {
        return otherwise(step, call);
    }
    let until = Deadline::after(step.now, delay);
    call.state = CallState::Delayed { until, step: what, spent: call.decision().cloned() };
    step.record.add_note(JournalNote::RetryScheduled { call: call.id.clone(), at: until.due_at });
    step.record.record_call(call);
}

fn backoff(step: &TransitionContext<'_>, call: &Call) -> Millis {
    let doubled = call.attempt.saturating_sub(1).min(10);
    Millis(step.rules.call_retry_delay.0.saturating_mul(1 << doubled))
}

fn is_unknown(call: &Call) -> bool {
    call.result().is_some_and(|result| result.status == CallStatus::Unknown)
}

fn stops_on_unknown(step: &TransitionContext<'_>) -> bool {
    let stops = match step.rules.on_unknown {
        UnknownOutcomePolicy::Stop => true,
        UnknownOutcomePolicy::Continue => false,
    };
    stops && step.facts.kind.is_run()
}

/// Finishes a call of a halted batch without retries. A known outcome of an action is kept: certainly not done is not
/// unknown.
fn finish_halted_call(step: &mut TransitionContext<'_>, call: &mut Call, outcome: CallOutcome) {
    match outcome {
        CallOutcome::Failed(failure) if !is_asked(call) => {
            finish_call(step, call, CallOutcome::Failed(CallFailure { retryable: false, ..failure }));
        }
        CallOutcome::Probed { happened: Some(false), .. } if is_asked(call) => {
            call_batch::end_call(step, call, CallStatus::Cancelled, sentences::call_stopped());
        }
        CallOutcome::Failed(_)
        | CallOutcome::TimedOut
        | CallOutcome::Lost { .. }
        | CallOutcome::Probed { happened: Some(false) | None, .. } => unknown(step, call),
        CallOutcome::Succeeded { .. }
        | CallOutcome::Accepted { .. }
        | CallOutcome::Reported { .. }
        | CallOutcome::Probed { happened: Some(true), .. } => finish_call(step, call, outcome),
    }
}

/// Gives up open calls and rests the session until a person looks at it.
fn quarantine(step: &mut TransitionContext<'_>, batch: CallBatch) -> Phase {
    step.record.add_note(JournalNote::Quarantined);
    let how = if step.facts.kind.is_run() { BatchHalt::Quarantine } else { BatchHalt::Rest };
    call_batch::halt(step, batch, how, true)
}
