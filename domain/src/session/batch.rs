//! The calls of one reply (or of one message's enrichments) on their way to their results.
//!
//! [`advance`] says in which phase a batch stands; [`finish`] tells the results and says what follows.

use crate::command::{Call, CallResult, CallState, CallStatus, CommandKind, StatusGroup};
use crate::message::{Author, Body, CommandResult, SystemKind, SystemMessage};
use crate::session::round::{self, RoundReason};
use crate::session::start::{Clearance, clearance};
use crate::session::{
    Dialect, EndReason, EqualFailures, Note, OnFailure, PassThrough, Phase, RequestedCall, SessionKind, Step,
    Unattended,
};
use crate::time::{Deadline, Millis, Timestamp};
use crate::validation::Approval;

/// The calls of one reply, and what follows them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Batch {
    /// Where they come from.
    pub origin: BatchOrigin,
    /// The calls, in the order they were asked for.
    pub calls: Vec<Call>,
    /// Text to show once all actions succeeded.
    pub post_text: Option<String>,
    /// The model wants to speak again after its actions succeeded.
    pub keep_control: bool,
    /// What else the model should be told with the results.
    pub remarks: Vec<String>,
    /// A person refused an action and said why.
    pub refused_with_reason: bool,
    /// Set when nothing new may start and what is under way is only waited for.
    pub halt: Option<Halt>,
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
pub enum Halt {
    /// The session rests.
    Rest,
    /// The session ends.
    End(EndReason),
}

impl Batch {
    /// The calls that the enrichments of joined messages ask for.
    pub(crate) fn of_enrichments(
        step: &mut Step<'_>,
        requested: Vec<RequestedCall>,
        then: RoundReason,
    ) -> Self {
        let calls = super::transition::intake::calls(step, requested);
        Self { origin: BatchOrigin::Enrichments(then), ..Self::of_calls(calls) }
    }

    pub(crate) fn of_calls(calls: Vec<Call>) -> Self {
        Self {
            origin: BatchOrigin::Reply,
            calls,
            post_text: None,
            keep_control: false,
            remarks: Vec::new(),
            refused_with_reason: false,
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

    /// Where the call of that id stands, when it is undecided.
    pub(crate) fn undecided_at(&self, id: &crate::id::CallId) -> Option<usize> {
        self.calls.iter().position(|call| call.id == *id && matches!(call.state, CallState::WaitingDecision))
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.calls
            .iter()
            .any(|call| matches!(call.state, CallState::Started { .. } | CallState::Delayed { .. }))
    }

    fn has_open(&self, kind: CommandKind) -> bool {
        self.calls.iter().any(|call| call.kind == kind && !call.is_finished())
    }

    fn has(&self, kind: CommandKind) -> bool {
        self.calls.iter().any(|call| call.kind == kind)
    }
}

/// The phase a batch stands in: queries first, then leave is asked, then actions, then its end. A query that
/// needs leave waits for it with the actions and runs when it has it.
pub(crate) fn advance(step: &mut Step<'_>, mut batch: Batch) -> Phase {
    settle(step, &mut batch);
    if batch.calls.iter().any(|call| call.kind == CommandKind::Query && goes_on_by_itself(call, step.now)) {
        return match batch.origin {
            BatchOrigin::Reply => Phase::ExecutingDataQueries(batch),
            BatchOrigin::Enrichments(_) => Phase::ExecutingEnrichments(batch),
        };
    }
    if batch.halt.is_none() && !batch.is_busy() {
        ask_where_needed(step, &mut batch);
        if batch.undecided().next().is_some() {
            match unattended(step) {
                None => return wait_for_leave(step, batch),
                Some(policy) => {
                    apply(policy, step, &mut batch);
                    return advance(step, batch);
                }
            }
        }
    }
    if batch.has_open(CommandKind::Action) { Phase::ExecutingActions(batch) } else { finish(step, batch) }
}

/// Whether a call is under way, or may begin without asking anybody.
fn goes_on_by_itself(call: &Call, now: Timestamp) -> bool {
    match &call.state {
        CallState::Started { .. } | CallState::Delayed { .. } => true,
        CallState::Proposed | CallState::Approved(_) => match clearance(call, now) {
            Clearance::Free | Clearance::Spend(_) => true,
            Clearance::AskFirst | Clearance::NotItsTurn => false,
        },
        CallState::Follows(_) | CallState::WaitingDecision | CallState::Finished { .. } => false,
    }
}

/// Cancels what has not started and marks what may have happened as unknown; `force` also gives up what is
/// under way. The phase that follows waits for what is left.
pub(crate) fn halt(step: &mut Step<'_>, mut batch: Batch, halt: Halt, force: bool) -> Phase {
    batch.halt = Some(match batch.halt {
        // What is about to end is not kept alive by a later interrupt, and keeps its first reason.
        Some(Halt::End(reason)) => Halt::End(reason),
        Some(Halt::Rest) | None => halt,
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
        if may_have_happened && call.is_started() && !force {
            continue;
        }
        if may_have_happened {
            end_call(step, call, CallStatus::Unknown, UNKNOWN_TEXT);
        } else {
            end_call(step, call, CallStatus::Cancelled, "stopped");
        }
    }
    advance(step, batch)
}

/// Gives a call its one result.
pub(crate) fn end_call(step: &mut Step<'_>, call: &mut Call, status: CallStatus, content: &str) {
    end_call_with(step, call, CallResult::new(status, content, step.now));
}

/// Gives a call its one result.
pub(crate) fn end_call_with(step: &mut Step<'_>, call: &mut Call, result: CallResult) {
    let followed = matches!(call.state, CallState::Follows(_));
    if result.status == CallStatus::Unknown && !followed {
        step.facts.unsettled.push(call.id.clone());
    }
    call.state = CallState::Finished { result, decision: call.decision().cloned() };
    step.record.ledger(call);
}

/// What the model and people read of an action whose outcome nobody knows.
pub(crate) const UNKNOWN_TEXT: &str = "interrupted: it is not known whether this happened. \
     Do not repeat it; a person will say what became of it";

/// Results that follow from other results: duplicates get their first's, and what comes after a failed ordered
/// action is cancelled.
fn settle(step: &mut Step<'_>, batch: &mut Batch) {
    let mut failed = false;
    for index in 0..batch.calls.len() {
        let (earlier, rest) = batch.calls.split_at_mut(index);
        let call = &mut rest[0];
        if matches!(call.state, CallState::Delayed { .. }) && call.key_is_over(step.now) {
            end_call(step, call, CallStatus::Unknown, UNKNOWN_TEXT);
        }
        if let CallState::Follows(first) = &call.state
            && let Some(result) =
                earlier.iter().find(|call| call.id == *first).and_then(|first| first.result().cloned())
        {
            end_call_with(step, call, as_duplicate(result));
        }
        let ordered =
            call.kind == CommandKind::Action && !call.terms.as_ref().is_some_and(|terms| terms.independent);
        if ordered && failed && has_not_begun(call) {
            end_call(
                step,
                call,
                CallStatus::Cancelled,
                "cancelled, because an earlier action of the reply failed",
            );
        }
        let is_failure = call.result().is_some_and(|result| result.status.group() == StatusGroup::Failed);
        failed |= ordered && is_failure && step.rules.actions_on_failure == OnFailure::Stop;
    }
}

fn as_duplicate(first: CallResult) -> CallResult {
    let status = if first.is_error() { first.status } else { CallStatus::Duplicate };
    CallResult { status, code: Some("DUPLICATE".into()), ..first }
}

fn has_not_begun(call: &Call) -> bool {
    match &call.state {
        CallState::Proposed | CallState::Follows(_) | CallState::WaitingDecision | CallState::Approved(_) => {
            true
        }
        CallState::Started { .. } | CallState::Delayed { .. } | CallState::Finished { .. } => false,
    }
}

pub(crate) fn ask_where_needed(step: &mut Step<'_>, batch: &mut Batch) {
    for call in &mut batch.calls {
        match clearance(call, step.now) {
            Clearance::AskFirst => {
                if matches!(call.state, CallState::Approved(_)) {
                    step.record.note(Note::LeaveAskedAgain { call: call.id.clone() });
                }
                call.state = CallState::WaitingDecision;
                step.record.ledger(call);
            }
            Clearance::Free | Clearance::Spend(_) | Clearance::NotItsTurn => {}
        }
    }
}

/// What is done with calls that need leave where nobody watches; none when a person is waited for.
fn unattended(step: &Step<'_>) -> Option<Unattended> {
    match step.facts.kind {
        SessionKind::Chat | SessionKind::Seed => None,
        SessionKind::Automation | SessionKind::Agent => match step.rules.unattended {
            Unattended::Park => None,
            policy @ (Unattended::Refuse | Unattended::Allow) => Some(policy),
        },
    }
}

fn wait_for_leave(step: &mut Step<'_>, batch: Batch) -> Phase {
    match step.facts.kind {
        SessionKind::Automation | SessionKind::Agent => step.record.note(Note::SessionParked),
        SessionKind::Chat | SessionKind::Seed => {}
    }
    Phase::WaitingValidation { batch, expires: leave_until(step) }
}

fn apply(policy: Unattended, step: &mut Step<'_>, batch: &mut Batch) {
    for call in &mut batch.calls {
        if !matches!(call.state, CallState::WaitingDecision) {
            continue;
        }
        match policy {
            Unattended::Allow => {
                step.record.note(Note::ApprovedByPolicy { call: call.id.clone() });
                approve(step, call, "policy", None);
            }
            Unattended::Refuse | Unattended::Park => {
                end_call(
                    step,
                    call,
                    CallStatus::Rejected,
                    "nobody is there to give leave (validation.unattended = refuse)",
                );
            }
        }
    }
}

/// Until when leave may be given, and spent. 0 is no limit: a hundred years.
fn leave_until(step: &Step<'_>) -> Deadline {
    let span = step.rules.validation_expires;
    Deadline::after(step.now, if span.0 > 0 { span } else { Millis::hours(24 * 36_525) })
}

/// Notes a person's (or the policy's) yes, bound to the exact command and catalog version.
pub(crate) fn approve(
    step: &mut Step<'_>,
    call: &mut Call,
    author: &str,
    edited: Option<crate::validation::Edit>,
) {
    let Some(terms) = &call.terms else { return };
    let command_id = edited.as_ref().map_or(&call.command_id, |edit| &edit.command_id).clone();
    call.state = CallState::Approved(Approval {
        author: author.to_owned(),
        at: step.now,
        expires: leave_until(step),
        version: terms.version.clone(),
        command_id,
        edited,
    });
    step.record.ledger(call);
}

/// Tells the results and says what follows.
fn finish(step: &mut Step<'_>, batch: Batch) -> Phase {
    note_progress(step, &batch);
    tell(step, &batch, SystemKind::ActionsExecuted);
    match batch.halt {
        Some(Halt::Rest) => return step.rest_without_queue(),
        Some(Halt::End(reason)) => return step.end(reason),
        None => {}
    }
    match batch.origin {
        BatchOrigin::Enrichments(then) => {
            step.record.note(Note::EnrichmentsExecuted);
            round::begin(step, then)
        }
        BatchOrigin::Reply => {
            count(step, &batch);
            if batch.has(CommandKind::Action) { after_actions(step, &batch) } else { after_queries(step) }
        }
    }
}

fn after_queries(step: &mut Step<'_>) -> Phase {
    step.record.note(Note::DataQueriesExecuted);
    round::begin(step, RoundReason::DataResponse)
}

fn after_actions(step: &mut Step<'_>, batch: &Batch) -> Phase {
    step.record.note(Note::ActionsExecuted);
    match verdict(batch) {
        ActionsVerdict::Succeeded => {
            if let Some(text) = &batch.post_text {
                step.message(Author::Model, Body::Text(text.clone()), true);
            }
            let goes_on = batch.keep_control
                || step.facts.dialect == Dialect::Tools
                || step.facts.kind != SessionKind::Chat;
            if goes_on { round::begin(step, RoundReason::ActionResult) } else { step.rest() }
        }
        ActionsVerdict::Failed => {
            step.record.note(Note::ActionFailureOccurred);
            step.record.note(Note::PassedThrough(PassThrough::RetryingAfterActionFailure));
            round::begin(step, RoundReason::ActionFailure)
        }
        ActionsVerdict::Refused { with_reason } => {
            if with_reason || step.facts.kind != SessionKind::Chat {
                round::begin(step, RoundReason::ActionResult)
            } else {
                step.rest()
            }
        }
    }
}

enum ActionsVerdict {
    Succeeded,
    Failed,
    Refused { with_reason: bool },
}

fn verdict(batch: &Batch) -> ActionsVerdict {
    let mut refused = false;
    for call in batch.calls.iter().filter(|call| call.kind == CommandKind::Action) {
        let Some(result) = call.result() else { continue };
        match result.status.group() {
            StatusGroup::Success | StatusGroup::Cached => {}
            StatusGroup::Failed => return ActionsVerdict::Failed,
            StatusGroup::Cancelled => {
                refused = true;
            }
        }
    }
    if refused {
        ActionsVerdict::Refused { with_reason: batch.refused_with_reason }
    } else {
        ActionsVerdict::Succeeded
    }
}

/// After an edit, duplicates are found anew: a call whose first now runs something else stands for itself, and
/// one that now says the same as an earlier one gets that one's result.
pub(crate) fn find_duplicates(step: &mut Step<'_>, batch: &mut Batch) {
    for index in 0..batch.calls.len() {
        let (earlier, rest) = batch.calls.split_at_mut(index);
        let call = &mut rest[0];
        if !has_not_begun(call) {
            continue;
        }
        let same = |first: &&Call| {
            first.effective_id() == call.effective_id()
                && first.command.name == call.command.name
                && first.terms.is_some()
                && !matches!(first.state, CallState::Follows(_))
                && !first.result().is_some_and(|result| result.status.group() == StatusGroup::Cancelled)
        };
        let first = earlier.iter().find(same).map(|first| first.id.clone());
        let follows = matches!(call.state, CallState::Follows(_));
        call.state = match first {
            Some(first) => CallState::Follows(first),
            None if follows => CallState::Proposed,
            None => continue,
        };
        step.record.ledger(call);
    }
}

/// What the model reads of a refusal without a reason.
pub(crate) const REJECTED_WITHOUT_REASON: &str = "the user said no";

/// Brings all results of a batch into the conversation: data, then what became of the actions. `kind` is the
/// type of the second message: `ACTIONS_EXECUTED`, or the trace of a wait that ended without an answer.
pub(crate) fn tell(step: &mut Step<'_>, batch: &Batch, kind: SystemKind) {
    let results = |wanted: CommandKind| -> Vec<CommandResult> {
        batch.calls.iter().filter(|call| call.kind == wanted).filter_map(command_result).collect()
    };
    let mut remarks = batch.remarks.join(" ");
    let queries = results(CommandKind::Query);
    let actions = results(CommandKind::Action);
    if !queries.is_empty() {
        let remark = if actions.is_empty() { std::mem::take(&mut remarks) } else { String::new() };
        let summary = with_remark(summary(&queries), remark);
        let formatted_data = Some(formatted(&queries));
        step.system(SystemMessage { kind: SystemKind::DataAdded, results: queries, summary, formatted_data });
    }
    if !actions.is_empty() {
        tell_actions(step, actions, kind, remarks);
    }
}

/// Refused ones leave the trace of their wait; the others are told as carried out. Each result is told once.
fn tell_actions(step: &mut Step<'_>, actions: Vec<CommandResult>, kind: SystemKind, remarks: String) {
    let (refused, done): (Vec<_>, Vec<_>) = actions.into_iter().partition(|result| {
        kind == SystemKind::ValidationCancelled
            || matches!(result.status, CallStatus::Rejected | CallStatus::Expired)
    });
    let groups = [(SystemKind::ValidationCancelled, refused), (SystemKind::ActionsExecuted, done)];
    let mut remarks = Some(remarks);
    for (kind, results) in groups.into_iter().filter(|(_, results)| !results.is_empty()) {
        let summary = with_remark(summary(&results), remarks.take().unwrap_or_default());
        step.system(SystemMessage { kind, results, summary, formatted_data: None });
    }
}

fn with_remark(summary: String, remark: String) -> String {
    if remark.is_empty() { summary } else { format!("{summary} {remark}") }
}

fn command_result(call: &Call) -> Option<CommandResult> {
    call.result().map(|result| CommandResult {
        call: call.id.clone(),
        provider_call_id: call.provider_call_id.clone(),
        command: call.command.name.clone(),
        status: result.status,
        code: result.code.clone(),
        content: match call.decision().and_then(|decision| decision.edited.as_ref()) {
            Some(edit) => format!(
                "{} (the user changed the arguments; what ran: {})",
                result.content,
                edit.command.arguments.to_json()
            ),
            None => result.content.clone(),
        },
    })
}

fn summary(results: &[CommandResult]) -> String {
    let failed = results.iter().filter(|result| result.status.is_error()).count();
    let done = results.len() - failed;
    match (done, failed) {
        (done, 0) => format!("{done} done."),
        (0, failed) => format!("{failed} not done."),
        (done, failed) => format!("{done} done, {failed} not done."),
    }
}

fn formatted(results: &[CommandResult]) -> String {
    results
        .iter()
        .map(|result| format!("## {}\n{}", result.command, result.content))
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn note_progress(step: &mut Step<'_>, batch: &Batch) {
    for call in &batch.calls {
        let Some(result) = call.result() else { continue };
        let counts = match result.status.group() {
            StatusGroup::Success => true,
            StatusGroup::Cached | StatusGroup::Failed | StatusGroup::Cancelled => false,
        };
        let digest = result.digest.clone().unwrap_or_else(|| call.command_id.clone());
        if counts && step.facts.is_new(call.effective_id(), &digest) {
            step.facts.counters.without_progress = 0;
        }
    }
}

fn count(step: &mut Step<'_>, batch: &Batch) {
    let counters = &mut step.facts.counters;
    let failed = |kind| {
        batch.calls.iter().any(|call| {
            call.kind == kind
                && call.result().is_some_and(|result| result.status.group() == StatusGroup::Failed)
        })
    };
    if !batch.has(CommandKind::Action) {
        counters.query_rounds = counters.query_rounds.saturating_add(1);
        counters.failed_action_rounds = 0;
    } else if failed(CommandKind::Action) {
        counters.failed_action_rounds = counters.failed_action_rounds.saturating_add(1);
        counters.query_rounds = 0;
    } else {
        counters.query_rounds = 0;
        counters.failed_action_rounds = 0;
        counters.format_errors = 0;
    }
    note_failure(step, failure_signature(batch));
}

/// Counts the failure of a round; a round without one ends the row.
pub(crate) fn note_failure(step: &mut Step<'_>, signature: Option<String>) {
    let known = step.facts.counters.equal_failures.take();
    step.facts.counters.equal_failures = signature.map(|signature| match known {
        Some(known) if known.signature == signature => {
            EqualFailures { count: known.count.saturating_add(1), signature }
        }
        Some(_) | None => EqualFailures { signature, count: 1 },
    });
}

fn failure_signature(batch: &Batch) -> Option<String> {
    let mut faults: Vec<String> = batch
        .calls
        .iter()
        .filter_map(|call| call.result().map(|result| (call, result)))
        .filter(|(_, result)| result.status.group() == StatusGroup::Failed)
        .map(|(call, result)| {
            let code = result.code.as_deref().unwrap_or("FAILED");
            let path = result.path.as_deref().map(|path| format!(" at {path}")).unwrap_or_default();
            format!("{} {code}{path}", call.command.name)
        })
        .collect();
    faults.sort();
    faults.dedup();
    (!faults.is_empty()).then(|| faults.join(", "))
}
