//! `RulesChanged`: rules, catalog, flags, model or data changed under the session. Leave given under other terms
//! is asked for again.

use crate::command::{Call, CallState, CallStatus};
use crate::message::SystemKind;
use crate::session::batch::{self, Batch};
use crate::session::{Note, Phase, Recheck, RulesChange, Step};
use crate::speech::sentences;

pub(super) fn on(step: &mut Step<'_>, phase: Phase, change: RulesChange) -> Phase {
    let RulesChange { notice, rechecks, prefix, told, require_validation, gate, voice } = change;
    if let Some(voice) = voice {
        step.facts.provider = voice.provider;
        step.facts.model = voice.model;
        step.facts.dialect = voice.dialect;
    }
    if let Some(prefix) = prefix {
        step.facts.prefix = Some(prefix);
        step.new_generation();
    }
    if let Some(told) = told {
        step.facts.told = told;
    }
    if let Some(required) = require_validation {
        step.facts.require_validation = required;
    }
    if let Some(gate) = gate {
        step.facts.gate = gate;
    }
    if let Some(notice) = notice {
        step.say(SystemKind::RulesChanged, notice);
    }
    match phase {
        // Actions of the reply also wait while its queries run.
        Phase::WaitingValidation { batch, .. }
        | Phase::ExecutingDataQueries(batch)
        | Phase::ExecutingActions(batch) => recheck(step, batch, rechecks),
        Phase::Idle
        | Phase::ExecutingEnrichments(_)
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

fn recheck(step: &mut Step<'_>, mut batch: Batch, rechecks: Vec<Recheck>) -> Phase {
    for recheck in rechecks {
        if let Some(call) = batch.calls.iter_mut().find(|call| call.id == recheck.call) {
            apply(step, call, recheck);
        }
    }
    forbid(step, &mut batch);
    batch::advance(step, batch)
}

/// What the session may no longer ask for does not start. What runs already is not taken back.
fn forbid(step: &mut Step<'_>, batch: &mut Batch) {
    for call in &mut batch.calls {
        let may_start = match &call.state {
            CallState::Proposed | CallState::WaitingDecision | CallState::Approved(_) => true,
            CallState::Follows(_)
            | CallState::Started { .. }
            | CallState::Delayed { .. }
            | CallState::Finished { .. } => false,
        };
        if may_start && !step.facts.gate.admits(&call.command.name) {
            let text = sentences::command_forbidden(&call.command.name);
            batch::end_call(step, call, CallStatus::Forbidden, text);
        }
    }
}

fn apply(step: &mut Step<'_>, call: &mut Call, recheck: Recheck) {
    match &call.state {
        CallState::Proposed | CallState::WaitingDecision | CallState::Approved(_) => {}
        CallState::Follows(_)
        | CallState::Started { .. }
        | CallState::Delayed { .. }
        | CallState::Finished { .. } => return,
    }
    let Some(version) = recheck.version else {
        let text = sentences::command_gone(&call.command.name);
        return batch::end_call(step, call, CallStatus::UnknownCommand, text);
    };
    // A question that was asked is not withdrawn: who sees it in the inbox must not find it carried out.
    let reasons = if recheck.reasons.is_empty() { call.reasons.clone() } else { recheck.reasons };
    let same_version = call.terms.as_ref().is_some_and(|terms| terms.version == version);
    if same_version && call.reasons == reasons {
        return;
    }
    let more = reasons.iter().any(|reason| !call.reasons.contains(reason));
    if let Some(terms) = &mut call.terms {
        terms.version = version;
    }
    call.reasons = reasons;
    // Leave that was given for more than is asked now still covers it.
    if matches!(call.state, CallState::Approved(_)) && (more || !same_version) {
        step.record.note(Note::LeaveAskedAgain { call: call.id.clone() });
        call.state = CallState::Proposed;
    }
    step.record.ledger(call);
}
