//! `RulesChanged`: rules, catalog, flags, model or data changed during the session. Approvals given under other terms
//! are asked again.

use crate::call::{Call, CallResult, CallState, CallStatus};
use crate::command::CommandTerms;
use crate::localizable_text::sentences;
use crate::message::SystemKind;
use crate::session::call_batch::{self, CallBatch};
use crate::session::{
    ApprovalRecheck, CallRefusal, CardRefresh, JournalNote, Phase, RulesChange, TransitionContext,
};
use crate::validation::{ApprovalReason, PolicyCheck, PromptAuthors, same_reasons};

pub(super) fn on(step: &mut TransitionContext<'_>, phase: Phase, change: RulesChange) -> Phase {
    let RulesChange {
        notice,
        rechecks,
        prefix,
        told,
        require_validation,
        mode,
        restriction,
        voice,
        name,
        prompt_authors,
    } = change;
    if let Some(authors) = prompt_authors {
        merge_prompt_authors(step, &authors);
    }
    if let Some(renaming) = name {
        step.facts.name = renaming.name;
    }
    if let Some(voice) = voice {
        step.facts.provider = voice.provider;
        step.facts.model = voice.model;
        step.facts.dialect = voice.dialect;
    }
    if let Some(prefix) = prefix {
        step.facts.prefix = Some(prefix);
        step.begin_prefix_generation();
    }
    if let Some(told) = told {
        step.facts.told = told;
    }
    if let Some(required) = require_validation {
        // A person's change to an agent stays within its delegated rights.
        let is_bound = step.facts.agent.as_ref().is_some_and(|agent| agent.rights.requires_approval());
        step.facts.require_validation = required || is_bound;
    }
    if let Some(mode) = mode {
        step.facts.mode = Some(mode);
    }
    if let Some(restriction) = restriction {
        step.facts.restriction = match &step.facts.agent {
            Some(agent) => restriction.intersect(agent.rights.command_restriction()),
            None => restriction,
        };
    }
    if let Some(notice) = notice {
        step.append_system_text(SystemKind::RulesChanged, notice);
    }
    match phase {
        // Actions of the reply are also pending while its queries run.
        Phase::WaitingValidation { batch, .. }
        | Phase::ExecutingDataQueries(batch)
        | Phase::ExecutingActions(batch) => recheck(step, batch, rechecks),
        Phase::Idle
        | Phase::Parked(_)
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

/// Adds authors whose words the model reads. Counting starts with the first such change.
fn merge_prompt_authors(step: &mut TransitionContext<'_>, new: &PromptAuthors) {
    let known = step.facts.prompt_authors.get_or_insert_default();
    known.has_unknown |= new.has_unknown;
    step.facts.record_prompt_authors(new.people.iter().map(|person| Some(person.as_str())));
}

fn recheck(step: &mut TransitionContext<'_>, mut batch: CallBatch, rechecks: Vec<ApprovalRecheck>) -> Phase {
    for recheck in rechecks {
        let Some(call) = batch.calls.iter_mut().find(|call| call.id == recheck.call) else { continue };
        match recheck {
            ApprovalRecheck { call: _, version: Some(_), reasons, now: Some(now) } => {
                refresh_card(step, call, reasons, now)
            }
            ApprovalRecheck { now: None, .. } | ApprovalRecheck { version: None, .. } => {
                apply_recheck(step, call, recheck)
            }
        }
    }
    forbid(step, &mut batch);
    call_batch::advance(step, batch)
}

/// Applies the renewed card of a call. A pending or given approval for a different card is withdrawn with a trace, and
/// a new one is asked.
fn refresh_card(
    step: &mut TransitionContext<'_>,
    call: &mut Call,
    reasons: Vec<ApprovalReason>,
    now: CardRefresh,
) {
    let was_asked = match &call.state {
        // A duplicate gets a decision of its own once a person edits the original.
        CallState::Proposed | CallState::Follows(_) => false,
        CallState::WaitingDecision | CallState::Approved(_) => true,
        CallState::Started { .. } | CallState::Delayed { .. } | CallState::Finished { .. } => return,
    };
    let CardRefresh { terms, card, refusal } = now;
    let same_version = call.terms.as_ref().is_some_and(|known| known.version == terms.version);
    // An approval asked before cards existed gets the card that it would have had.
    let gets_first = call.card.is_none() && same_version && same_reasons(&call.reasons, &reasons);
    let changed = !same_version || call.card != card;
    if changed && was_asked && !gets_first {
        withdraw(step, call);
    }
    if let Some(CallRefusal { status, message, path }) = refusal.filter(|_| changed) {
        let result = CallResult { path, ..CallResult::new(status, message, step.now) };
        return call_batch::end_call_with(step, call, result);
    }
    if let (CallState::Approved(approval), true) = (&mut call.state, gets_first) {
        approval.card.clone_from(&card);
    }
    // The policy was asked about the command as it was.
    if let (false, Some(check)) = (same_version, &mut call.policy) {
        *check = PolicyCheck::Pending;
    }
    let known = call.terms.take();
    let (shows, task) = known.map(|known| (known.shows, known.task)).unwrap_or_default();
    call.terms = Some(CommandTerms { shows, task: task.or(terms.task.clone()), ..terms });
    call.reasons = reasons;
    call.card = card;
    step.record.record_call(call);
}

/// Withdraws a pending or given approval, with a trace of the reason.
fn withdraw(step: &mut TransitionContext<'_>, call: &mut Call) {
    step.record.add_note(JournalNote::ApprovalAskedAgain { call: call.id.clone() });
    let said = sentences::approval_withdrawn(call.approval_id().as_str(), &call.command.name);
    step.append_system_text(SystemKind::ValidationCancelled, said);
    call.approvals.clear();
    call.state = CallState::Proposed;
    call.withdrawn = call.withdrawn.saturating_add(1);
}

/// Refuses unstarted calls that the session may no longer make. Running calls continue.
fn forbid(step: &mut TransitionContext<'_>, batch: &mut CallBatch) {
    for call in &mut batch.calls {
        let may_start = match &call.state {
            CallState::Proposed | CallState::WaitingDecision | CallState::Approved(_) => true,
            CallState::Follows(_)
            | CallState::Started { .. }
            | CallState::Delayed { .. }
            | CallState::Finished { .. } => false,
        };
        if may_start && !step.facts.admits(&call.command.name) {
            let text = sentences::command_forbidden(&call.command.name);
            call_batch::end_call(step, call, CallStatus::Forbidden, text);
        }
    }
}

/// Applies a recheck as v0.1 did, by version and reasons alone; also handles a command that is gone.
fn apply_recheck(step: &mut TransitionContext<'_>, call: &mut Call, recheck: ApprovalRecheck) {
    match &call.state {
        CallState::Proposed | CallState::WaitingDecision | CallState::Approved(_) => {}
        CallState::Follows(_)
        | CallState::Started { .. }
        | CallState::Delayed { .. }
        | CallState::Finished { .. } => return,
    }
    let Some(version) = recheck.version else {
        let text = sentences::command_gone(&call.command.name);
        return call_batch::end_call(step, call, CallStatus::UnknownCommand, text);
    };
    // A pending approval is not withdrawn: a person who sees it in the inbox must not find it executed.
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
    // A given approval with more reasons than needed now still covers the call.
    if matches!(call.state, CallState::Approved(_)) && (more || !same_version) {
        step.record.add_note(JournalNote::ApprovalAskedAgain { call: call.id.clone() });
        call.state = CallState::Proposed;
    }
    step.record.record_call(call);
}
