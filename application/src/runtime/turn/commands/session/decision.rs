//! Decisions on calls: checks that the call is open, that edited arguments are valid, and whether it was decided
//! before.

use std::collections::BTreeMap;

use entracte_domain::call::{Call, CallState, CallStatus};
use entracte_domain::command::{Command, EffectClass};
use entracte_domain::id::Digest;
use entracte_domain::message::UserMessage;
use entracte_domain::session::{Input, SessionFacts, UserMessageSent};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{
    ApproverObjection, ArgumentEdit, Decision, DecisionVerdict, ExchangePrincipal, GivenApproval,
    RuleCandidate, RuleRequester, StandingApprovalRule, share_identity,
};
use entracte_domain::value::JsonValue;

use crate::codec::decode_call;
use crate::commands::{denial_reason, edit_faults};
use crate::mail::{DecideCallsRequest, MailAnswer, MailDecision, MailRefusal, MailVerdict};
use crate::planted_bugs::{PlantedBug, is_planted};
use crate::ports::CallRow;
use crate::runtime::turn::commands::session::comment::comment_first_decision;
use crate::runtime::turn::commands::session::conversation::refuse_manual_call_session;
use crate::runtime::turn::commands::{ApplyToSession, SessionDraftEdit};
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::lookups::{lookup_context, read_call_row, read_card, read_entry};
use crate::runtime::turn::messages::build_message;
use crate::runtime::turn::outcomes::plan_local_action;
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::runtime::turn::standing_rules::StandingRuleRequest;
use crate::system::sha256;
use crate::texts::{LocalizedMessage, LocalizedTexts, say, saying};

/// Valid decisions, and the rules made with them.
#[derive(Default)]
struct AcceptedDecisions {
    decisions: Vec<Decision>,
    rules: Vec<StandingApprovalRule>,
    /// The commands, with whether all their calls were approved without a change and for this time only.
    counted: BTreeMap<String, bool>,
}

impl AcceptedDecisions {
    /// Counts a decision on a call of this command. What a person decides at once is one decision for each command: they may
    /// not have thought about each call.
    fn count(&mut self, command: &str, is_unchanged: bool) {
        *self.counted.entry(command.to_owned()).or_insert(true) &= is_unchanged;
    }
}

impl ApplyToSession for DecideCallsRequest {
    /// Applies the decisions, all or none.
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, decisions, link } = self;
        edit.refresh()?;
        if let Some(call) = Decision::find_duplicate_call(decisions.iter().map(|decision| &decision.call)) {
            return Err(MailRefusal::Invalid(saying!("request-call-twice", call = call.as_str())).into());
        }
        expire_overdue_approval(edit)?;
        if decisions.iter().any(|decision| matches!(decision.verdict, MailVerdict::Edit { .. })) {
            // The calls after a changed call are approved on their own current cards.
            edit.recheck()?;
        }
        let answer = answered_text(decisions)?;
        let checked = check_decisions(edit, self)?;
        if checked.decisions.is_empty() && !decisions.is_empty() {
            return Ok(edit.accept());
        }
        // An agent takes no messages: it reads the words as the reason of the rejection.
        if let Some(text) = answer
            && edit.drafted()?.facts.agent.is_none()
        {
            let answered = answer_calls(edit, author, text, &checked.decisions)?;
            edit.finish_decisions(&checked.counted, checked.rules, link.as_ref());
            return Ok(answered);
        }
        let input = Input::ValidationReceived { author: author.clone(), decisions: checked.decisions };
        if let Some(ignored) = edit.apply_input(input)? {
            return edit.answer_ignored(ignored, "request-not-applicable");
        }
        edit.finish_decisions(&checked.counted, checked.rules, link.as_ref());
        Ok(edit.accept())
    }
}

/// The words that a person sends in place of decisions, each text once; `None` if the person decides. Refuses a request
/// with both, because a message cannot be recorded together with decisions.
fn answered_text(decisions: &[MailDecision]) -> Result<Option<String>, MailRefusal> {
    let answers = decisions.iter().filter_map(|decision| match &decision.verdict {
        MailVerdict::Answer { text } => Some(text.trim()),
        MailVerdict::Approve
        | MailVerdict::Edit { .. }
        | MailVerdict::Always { .. }
        | MailVerdict::Reject { .. } => None,
    });
    let answers: Vec<&str> = answers.collect();
    if answers.is_empty() {
        return Ok(None);
    }
    if answers.len() < decisions.len() {
        return Err(MailRefusal::Invalid(saying!("request-answer-mixed")));
    }
    let mut texts: Vec<&str> = Vec::new();
    for answer in answers {
        if answer.is_empty() {
            return Err(MailRefusal::Invalid(saying!("request-message-empty")));
        }
        if !texts.contains(&answer) {
            texts.push(answer);
        }
    }
    Ok(Some(texts.join("\n\n")))
}

/// Sends a message that rejects these calls. It is one input, so that the model reads both at once.
fn answer_calls(
    edit: &mut SessionDraftEdit<'_>,
    author: &str,
    text: String,
    decisions: &[Decision],
) -> Result<MailAnswer, RequestNotApplied> {
    refuse_manual_call_session(edit)?;
    let (turn, session) = (edit.turn(), edit.session());
    let sent = build_message(turn, edit.draft(), session, author, &UserMessage::text(text), None)?;
    let instead_of = decisions.iter().map(|decision| decision.call.clone()).collect();
    edit.apply_message(Input::UserMessageSent(UserMessageSent { instead_of, ..sent }))
}

/// Expires an overdue approval for any decider, even if no deadline was handled since.
fn expire_overdue_approval(edit: &mut SessionDraftEdit<'_>) -> Result<(), TurnStop> {
    let asked = edit.drafted()?.phase.batch_awaiting_decision();
    if asked.is_some_and(|(_, until)| until.is_due(edit.draft().now)) {
        edit.apply_input(Input::TimeReached)?;
    }
    Ok(())
}

fn check_decisions(
    edit: &mut SessionDraftEdit<'_>,
    deciding: &DecideCallsRequest,
) -> Result<AcceptedDecisions, RequestNotApplied> {
    let DecideCallsRequest { author, decisions, link: _ } = deciding;
    let mut drafted = edit.drafted()?.clone();
    drafted.facts = edit.restrict_to_current_rights(&drafted.facts)?;
    let mut checked = AcceptedDecisions::default();
    for decision in decisions {
        let call = drafted.phase.batch().and_then(|batch| batch.call(&decision.call));
        let Some(call) = call.filter(|call| matches!(call.state, CallState::WaitingDecision)) else {
            check_repeated_decision(edit, author, call, decision)?;
            continue;
        };
        // The shown card differs or is missing: an approval counts for its own card only.
        let card = if is_planted(PlantedBug::AnyCard) { call.card.clone() } else { decision.card.clone() };
        if card.is_none() || card != call.card {
            let (now, name) = (call.approval_id(), call.command.name.as_str());
            let changed = saying!("request-card-changed", approval = now.as_str(), command = name);
            return Err(MailRefusal::Conflict(changed).into());
        }
        if let Some(objection) = objection_to(call, author, &decision.verdict, edit.draft().now) {
            return Err(MailRefusal::FourEyes(objection).into());
        }
        if let Some(given) = counted_approval(call, author, &decision.verdict) {
            let person = &given.author;
            return Err(MailRefusal::Conflict(saying!("request-approval-counted", person = person)).into());
        }
        if matches!(decision.verdict, MailVerdict::Always { .. })
            && !call.would_suffice(author, edit.draft().now)
        {
            // The rule would stand on the word of one of several, while this call still waits for the others.
            return Err(MailRefusal::Conflict(saying!("request-always-early")).into());
        }
        if let MailVerdict::Edit { arguments } = &decision.verdict {
            let command = Command { name: call.command.name.clone(), arguments: arguments.clone() };
            let editor = ExchangePrincipal::for_run([author.as_str()], None);
            if edit.crosses_principals(&drafted.facts, &editor, &command)? {
                return Err(MailRefusal::Invalid(saying!("request-agent-of-others")).into());
            }
        }
        let verdict = resolve_verdict(edit, &drafted.facts, call, author, &decision.verdict)?;
        let rule = match &decision.verdict {
            MailVerdict::Always { in_session, lasts, agents, width } => {
                let (session, width) = (in_session.then_some(edit.session()), width.as_deref());
                let wanted = StandingRuleRequest { session, agents: *agents, lasts: *lasts, width };
                Some(edit.build_standing_rule(author, wanted, call, &mut checked.rules)?)
            }
            MailVerdict::Approve
            | MailVerdict::Edit { .. }
            | MailVerdict::Reject { .. }
            | MailVerdict::Answer { .. } => None,
        };
        let is_unchanged = matches!(decision.verdict, MailVerdict::Approve);
        checked.count(&call.command.name, is_unchanged);
        checked.decisions.push(Decision { call: decision.call.clone(), card, verdict, rule });
    }
    Ok(checked)
}

fn resolve_verdict(
    edit: &SessionDraftEdit<'_>,
    facts: &SessionFacts,
    call: &Call,
    author: &str,
    verdict: &MailVerdict,
) -> Result<DecisionVerdict, RequestNotApplied> {
    Ok(match verdict {
        MailVerdict::Approve | MailVerdict::Always { .. } => DecisionVerdict::Approve { edited: None },
        MailVerdict::Reject { reason } => DecisionVerdict::Reject { reason: reason.clone() },
        MailVerdict::Answer { text } => DecisionVerdict::Reject { reason: Some(text.clone()) },
        MailVerdict::Edit { arguments } => {
            let (turn, draft) = (edit.turn(), edit.draft());
            let command = Command { name: call.command.name.clone(), arguments: arguments.clone() };
            if let Some(said) = find_edit_fault(edit, facts, call, &command)? {
                let wrong = saying!("request-edit-wrong", command = &command.name, faults = said);
                return Err(MailRefusal::Invalid(wrong).into());
            }
            let command_id = sha256(command.canonical_bytes().as_bytes());
            let card = edited_card(turn, draft, facts, &edited_by(call, author), &command)?;
            DecisionVerdict::Approve { edited: Some(ArgumentEdit { command, command_id, card }) }
        }
    })
}

/// The digest of a call's card with other arguments.
fn edited_card(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    facts: &SessionFacts,
    call: &Call,
    command: &Command,
) -> Result<Option<Digest>, TurnStop> {
    if turn.memory.catalog.find(&command.name).is_none() {
        return Ok(None);
    }
    let settings = draft.body.settings.with_process_requirements(turn.memory.runtime);
    Ok(read_card(turn, lookup_context(draft, facts, &settings), call, command)?.digest)
}

/// The parameters of a command, in words; `None` if it has none or no longer exists.
fn list_parameters(turn: &TurnContext<'_>, command: &str, texts: &LocalizedTexts) -> Option<String> {
    let known = turn.memory.catalog.find(command)?;
    let properties = known.spec.schema.get("properties")?.as_object()?;
    let keys: Vec<&str> = properties.iter().map(|(name, _)| name.as_str()).collect();
    (!keys.is_empty()).then(|| say!(texts, "request-edit-keys", keys = keys.join(", ")))
}

/// The fault in arguments that a person changed: they must match the schema and, if the original call could be
/// planned, so must the edited one.
fn find_edit_fault(
    edit: &SessionDraftEdit<'_>,
    facts: &SessionFacts,
    call: &Call,
    edited: &Command,
) -> Result<Option<String>, TurnStop> {
    let (turn, draft, texts) = (edit.turn(), edit.draft(), edit.refusal_texts());
    let faults = edit_faults(turn.memory.catalog, &edited.name, &edited.arguments, texts);
    if !faults.is_empty() {
        let mut all: Vec<String> = faults.iter().map(|fault| fault.sentence()).collect();
        all.extend(list_parameters(turn, &edited.name, texts));
        return Ok(Some(all.join("; ")));
    }
    let settings = draft.body.settings.with_process_requirements(turn.memory.runtime);
    let context = lookup_context(draft, facts, &settings);
    if let Some(denial) = denial_reason(turn.memory.catalog, context, edited, texts) {
        return Ok(Some(denial));
    }
    let local = call.terms.as_ref().is_some_and(|terms| terms.effect == EffectClass::Local);
    if !local || find_plan_fault(turn, draft, facts, call, &call.command)?.is_some() {
        return Ok(None);
    }
    find_plan_fault(turn, draft, facts, call, edited)
}

/// Why a local command cannot be planned now; planning writes nothing.
fn find_plan_fault(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    facts: &SessionFacts,
    call: &Call,
    command: &Command,
) -> Result<Option<String>, TurnStop> {
    let asked = Call { command: command.clone(), ..call.clone() };
    let planned = plan_local_action(turn, facts, &asked, draft)?;
    Ok(planned.err().map(|failure| match failure.path {
        Some(path) if !failure.message.contains(&path) => format!("{path}: {}", failure.message),
        Some(_) | None => failure.message,
    }))
}

/// Checks a decision on a call that is not open: repeating the same decision is accepted, another one is refused
/// with the first decision and its author. A reason given with either is stored as a comment on the first decision, also
/// where the request is refused.
fn check_repeated_decision(
    edit: &mut SessionDraftEdit<'_>,
    author: &str,
    in_batch: Option<&Call>,
    decision: &MailDecision,
) -> Result<(), RequestNotApplied> {
    let (turn, draft, id) = (edit.turn(), edit.draft(), &decision.call);
    let row = match draft.calls.get(id) {
        Some(row) => Some(row.clone()),
        None => read_call_row(turn, id)?.cloned(),
    };
    let Some(row) = row.filter(|row| row.session == *edit.session()) else {
        return Err(MailRefusal::no_call(id).into());
    };
    let call = match in_batch {
        Some(call) => call.clone(),
        None => decode_call(&row)?,
    };
    let is_comment_stored = comment_first_decision(edit, author, &call, decision)?;
    if is_same(edit, author, &call, &decision.verdict) {
        return Ok(());
    }
    let first = describe_first_decision(edit.turn(), edit.draft(), &call, &row, is_comment_stored)?;
    Err(MailRefusal::Conflict(first).into())
}

/// The first decision with its author, and what became of the call.
fn describe_first_decision(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    call: &Call,
    row: &CallRow,
    is_comment_stored: bool,
) -> Result<LocalizedMessage, TurnStop> {
    let (id, state) = (call.id.as_str(), row.state.word());
    let comment = if is_comment_stored { "stored" } else { "none" };
    let said = |who: &str, what: &str| {
        saying!("request-decided-before", call = id, who = who, what = what, state = state, comment = comment)
    };
    if let Some(taken) = call.decision() {
        return Ok(said(&taken.author, if taken.edited.is_some() { "edited" } else { "approved" }));
    }
    if is_rejected(call)
        && let Some(who) = find_rejecting_author(turn, draft, row)?
    {
        return Ok(said(&who, "rejected"));
    }
    Ok(saying!("request-call-not-open", call = id, state = state))
}

/// The author of the rejection of a call.
fn find_rejecting_author(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    row: &CallRow,
) -> Result<Option<String>, TurnStop> {
    let of = |input: &Input| match input {
        Input::ValidationReceived { author, decisions } => {
            decisions.iter().any(|decision| decision.call == row.id).then(|| author.clone())
        }
        Input::UserMessageSent(sent) => sent.instead_of.contains(&row.id).then(|| sent.author.clone()),
        _ => None,
    };
    if let Some(author) = draft.entries.iter().find_map(|entry| of(&entry.input)) {
        return Ok(Some(author));
    }
    let Some(seq) = row.result_seq else { return Ok(None) };
    Ok(read_entry(turn, seq)?.and_then(|entry| of(&entry.input)))
}

/// Why a person's decision on a call does not count: under four eyes, or because others must approve. Any person may refuse
/// it.
fn objection_to(
    call: &Call,
    author: &str,
    verdict: &MailVerdict,
    now: Timestamp,
) -> Option<ApproverObjection> {
    match verdict {
        MailVerdict::Approve | MailVerdict::Always { .. } => call.approver_objection(author, false, now),
        MailVerdict::Edit { .. } => call.approver_objection(author, true, now),
        MailVerdict::Reject { .. } | MailVerdict::Answer { .. } => None,
    }
}

/// The call with arguments edited by this person: without the rights of another person, who did not write them.
fn edited_by(call: &Call, author: &str) -> Call {
    let acts_as = call.asked_by.acts_as.clone().filter(|requester| requester == author);
    Call { asked_by: ExchangePrincipal { acts_as, ..call.asked_by.clone() }, ..call.clone() }
}

/// The approval that an approval of this author would be counted with, because one person may be behind both authors;
/// `None` if it counts, or repeats the author's own, which changes nothing.
fn counted_approval<'c>(call: &'c Call, author: &str, verdict: &MailVerdict) -> Option<&'c GivenApproval> {
    let approves = match verdict {
        MailVerdict::Approve | MailVerdict::Always { .. } | MailVerdict::Edit { .. } => true,
        MailVerdict::Reject { .. } | MailVerdict::Answer { .. } => false,
    };
    if !approves || call.approvals.iter().any(|given| given.author == author) {
        return None;
    }
    call.approvals.iter().find(|given| share_identity(&given.author, author))
}

/// Whether a decision repeats the earlier one.
fn is_same(edit: &SessionDraftEdit<'_>, author: &str, call: &Call, verdict: &MailVerdict) -> bool {
    let (draft, session) = (edit.draft(), edit.session());
    let (taken, call_terms) = (call.decision(), call.terms.as_ref());
    let edited = |arguments: Option<&JsonValue>| {
        taken.is_some_and(|taken| taken.edited.as_ref().map(|edit| &edit.command.arguments) == arguments)
    };
    match verdict {
        MailVerdict::Approve => edited(None),
        MailVerdict::Edit { arguments } => edited(Some(arguments)),
        MailVerdict::Always { .. } => {
            let requester = draft
                .sessions
                .get(session)
                .map_or(RuleRequester::from_session(session), |drafted| drafted.facts.rule_requester());
            let made = |rule: &StandingApprovalRule| {
                let (call, command, now) = (&call.id, call.effective_command(), draft.now);
                let covers =
                    |terms| rule.covers(&RuleCandidate { call, command, terms, requester, day: now, now });
                rule.author == author && call_terms.is_some_and(covers)
            };
            edited(None) && draft.body.rules.iter().any(made)
        }
        MailVerdict::Reject { .. } => is_rejected(call),
        // The words would be sent twice.
        MailVerdict::Answer { .. } => false,
    }
}

fn is_rejected(call: &Call) -> bool {
    call.result().is_some_and(|result| result.status == CallStatus::Rejected)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: decisions of one request on several calls of a command; expected: they are one decision, which approves without a
    /// change only if each does.
    #[test]
    fn decisions_of_a_request_count_once_for_each_command() {
        let mut accepted = AcceptedDecisions::default();
        for (command, is_unchanged) in
            [("zones.create", true), ("zones.create", true), ("tools.create", false), ("tools.create", true)]
        {
            accepted.count(command, is_unchanged);
        }
        let counted: Vec<(&str, bool)> =
            accepted.counted.iter().map(|(command, is)| (command.as_str(), *is)).collect();
        assert_eq!(counted, [("tools.create", false), ("zones.create", true)]);
    }
}
