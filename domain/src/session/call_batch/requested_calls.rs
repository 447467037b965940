//! Admits requested calls: assigns ids and finishes those that need not run.

use crate::call::{Call, CallResult, CallState, CallStatus};
use crate::command::CommandKind;
use crate::localizable_text::{LocalizableText, sentences};
use crate::session::call_batch::dependent_results::original_of;
use crate::session::call_batch::plan_gate::{self, PlanGate};
use crate::session::call_batch::remember_schemas;
use crate::session::{CallLookup, IdenticalCall, JournalNote, RequestedCall, TransitionContext};
use crate::time::{Millis, Timestamp};
use crate::validation::PolicyCheck;

/// Admits the calls of a reply, in order.
pub(crate) fn admit_reply_calls(
    step: &mut TransitionContext<'_>,
    requested: Vec<RequestedCall>,
) -> Vec<Call> {
    let most = step.rules.calls_per_reply;
    admit_calls(step, requested, most)
}

/// Admits the queries of enrichments, in order. A person chose them, so the limit on calls per reply does not apply.
pub(crate) fn admit_enrichment_queries(
    step: &mut TransitionContext<'_>,
    requested: Vec<RequestedCall>,
) -> Vec<Call> {
    admit_calls(step, requested, 0)
}

fn admit_calls(step: &mut TransitionContext<'_>, requested: Vec<RequestedCall>, most: u32) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::with_capacity(requested.len());
    let gate = PlanGate::for_reply(step.facts, step.rules, &requested);
    for request in requested {
        let call = admit_call(step, &gate, &calls, request, most);
        step.record.record_call(&call);
        calls.push(call);
    }
    plan_gate::void_earlier_proposals(step, &mut calls);
    calls
}

/// Refuses all calls of a reply with the same result.
pub(crate) fn refuse_all_calls(
    step: &mut TransitionContext<'_>,
    requested: Vec<RequestedCall>,
    status: CallStatus,
    text: &LocalizableText,
) -> Vec<Call> {
    let mut calls = Vec::with_capacity(requested.len());
    for request in requested {
        let result = CallResult::new(status, text.clone(), step.now);
        let mut call = new_call(step, request);
        call.state = CallState::Finished { result, decision: None };
        step.record.record_call(&call);
        calls.push(call);
    }
    calls
}

fn admit_call(
    step: &mut TransitionContext<'_>,
    gate: &PlanGate,
    earlier: &[Call],
    request: RequestedCall,
    most: u32,
) -> Call {
    let unplanned = plan_gate::refusal(step, gate, &request);
    let lookup = request.lookup.clone();
    let over = call_limit_refusal(step, earlier.len(), most);
    let mut call = new_call(step, request);
    let now = step.now;
    if let (None, Some(result), CallLookup::Known { terms, .. }) = (&over, unplanned, &lookup) {
        call.terms = Some(terms.clone());
        call.state = finished_state(result);
        return call;
    }
    call.state = match (over, lookup) {
        (Some(text), _) => finished_state(CallResult::new(CallStatus::OverLimit, text, now)),
        (None, CallLookup::Refused { status, message, path, shows }) => {
            step.facts.remember_schemas(shows.as_slice());
            finished_state(CallResult { path, ..CallResult::new(status, message, now) })
        }
        (None, CallLookup::Known { terms, reasons, twin, rule, card, policy }) => {
            // A duplicate keeps them too, because after an edit of the original it stands alone.
            call.terms = Some(terms);
            call.reasons = reasons;
            call.card = card;
            call.policy = policy.then_some(PolicyCheck::Pending);
            let is_equal =
                |other: &Call| other.command_id == call.command_id && other.command == call.command;
            match original_of(&call, earlier, is_equal) {
                Some(first) => CallState::Follows(first.id.clone()),
                None => admitted_state(step, earlier, &call, twin, rule),
            }
        }
    };
    call
}

/// The state of a call that no earlier call of the reply equals: a known result, or proposed.
fn admitted_state(
    step: &mut TransitionContext<'_>,
    earlier: &[Call],
    call: &Call,
    twin: Option<IdenticalCall>,
    rule: Option<String>,
) -> CallState {
    if let Some(rule) = rule {
        step.record.add_note(JournalNote::ApprovedByRule { call: call.id.clone(), rule });
    }
    // What the query reads may be different once the actions before it are done.
    let is_outdated = earlier.iter().any(|action| call.reads_state_of(action));
    let twin = twin.filter(|_| !is_outdated);
    let known = twin.and_then(|twin| reuse_ledger_result(step, call.kind, twin));
    if let Some(result) = &known {
        remember_schemas(step, call, result);
    }
    known.map_or(CallState::Proposed, finished_state)
}

fn finished_state(result: CallResult) -> CallState {
    CallState::Finished { result, decision: None }
}

fn new_call(step: &mut TransitionContext<'_>, request: RequestedCall) -> Call {
    let ordinal = step.next_call_ordinal();
    step.facts.counters.calls_total = step.facts.counters.calls_total.saturating_add(1);
    Call {
        id: step.facts.id.call_id(step.facts.sequence, ordinal),
        provider_call_id: request.provider_call_id,
        command: request.command,
        command_id: request.command_id,
        kind: request.kind,
        terms: None,
        reasons: Vec::new(),
        card: None,
        policy: None,
        asked_by: step.facts.asked_by.clone(),
        withdrawn: 0,
        approvals: Vec::new(),
        state: CallState::Proposed,
        attempt: 0,
        requested_at: step.now,
        exchange: step.facts.exchange,
        first_started_at: None,
    }
}

fn call_limit_refusal(step: &TransitionContext<'_>, earlier: usize, most: u32) -> Option<LocalizableText> {
    let rules = step.rules;
    let full = |count: u64, limit: u32| limit > 0 && count >= u64::from(limit);
    if full(earlier as u64, most) {
        return Some(sentences::limit_calls_per_reply(most));
    }
    if full(u64::from(step.facts.counters.calls_total), rules.calls_per_session) {
        return Some(sentences::limit_calls_per_session(rules.calls_per_session));
    }
    None
}

/// Reuses a ledger result: an identical query may be answered from it, an identical recent action is refused
/// (anti-loop).
fn reuse_ledger_result(
    step: &TransitionContext<'_>,
    kind: CommandKind,
    twin: IdenticalCall,
) -> Option<CallResult> {
    let now = step.now;
    match kind {
        CommandKind::Query if twin.fresh && is_within(twin.finished_at, step.rules.cache_window, now) => {
            let result = CallResult::new(CallStatus::Cached, twin.content, now);
            Some(CallResult { files: twin.files, ..result })
        }
        CommandKind::Query => None,
        CommandKind::Action => repeat_refusal(step, twin),
    }
}

/// The refusal of an action that a looping model repeats; within the window it gets the first result.
fn repeat_refusal(step: &TransitionContext<'_>, twin: IdenticalCall) -> Option<CallResult> {
    let repeats = is_within(twin.finished_at, step.rules.anti_loop_window, step.now);
    repeats.then(|| {
        let text = sentences::repeated(twin.call.as_str()).with_appended(" ").with_appended(twin.content);
        CallResult { files: twin.files, ..CallResult::new(CallStatus::Repeated, text, step.now) }
    })
}

fn is_within(then: Timestamp, window: Millis, now: Timestamp) -> bool {
    window.0 > 0 && now >= then && now.since(then) < window
}
