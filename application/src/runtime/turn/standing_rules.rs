//! Standing approval rules: created with a decision, and revoked.

use entracte_domain::call::Call;
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::plan::PlanCommand;
use entracte_domain::time::{Deadline, Millis};
use entracte_domain::validation::{
    ArgumentCondition, ConditionFault, RuleScope, RuleUses, RuleWidth, StandingApprovalRule, UseLimits,
    matches_arguments,
};

use crate::commands::standing_approval_conditions;
use crate::mail::MailRefusal;
use crate::runtime::session_draft::SessionDraft;
use crate::runtime::turn::context::TurnContext;
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::lookups::draw_rule_id;
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::texts::{LocalizedMessage, saying};

/// The standing approval rule that a person wants a decision to create.
#[derive(Clone, Copy)]
pub(crate) struct StandingRuleRequest<'a> {
    /// The session that it applies to; `None` for the whole workspace.
    pub(crate) session: Option<&'a SessionId>,
    /// Whether it also covers agents.
    pub(crate) agents: bool,
    /// How long it is valid; `None` for the configured duration.
    pub(crate) lasts: Option<Millis>,
    /// What it covers; `None` derives it from the arguments of the call.
    pub(crate) width: Option<&'a RuleWidth>,
}

/// The session that requested this call.
fn find_requester<'d>(draft: &'d TurnDraft, call: &Call) -> Option<&'d SessionDraft> {
    let requests =
        |drafted: &&SessionDraft| drafted.phase.batch().is_some_and(|batch| batch.call(&call.id).is_some());
    draft.sessions.values().find(requests)
}

/// Whether an agent requested this call.
fn is_agent_call(draft: &TurnDraft, call: &Call) -> bool {
    find_requester(draft, call).is_some_and(|drafted| drafted.facts.agent.is_some())
}

/// The rule that a decision creates: such calls need no approval from now on. Returns its id; one decision on
/// several calls of the same kind creates one rule.
pub(crate) fn build_standing_rule(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    author: &str,
    wanted: StandingRuleRequest<'_>,
    call: &Call,
    made: &mut Vec<StandingApprovalRule>,
) -> Result<String, RequestNotApplied> {
    let name = &call.command.name;
    let known = turn.memory.catalog.find(name);
    let arguments = known.and_then(|known| standing_approval_conditions(known, call));
    let (Some(terms), Some(arguments)) = (call.terms.as_ref(), arguments) else {
        let asks = call.terms.as_ref().is_some_and(|terms| terms.asks && !terms.destructive);
        let key = match PlanCommand::from_word(name) {
            Some(_) => "request-rule-plan",
            None if asks => "request-rule-asks",
            None => "request-rule-destructive",
        };
        return Err(MailRefusal::Invalid(LocalizedMessage::new(key, vec![("command", name.into())])).into());
    };
    let lasts = wanted.lasts.unwrap_or(turn.memory.runtime.always_expires);
    if lasts.0 <= 0 {
        return Err(MailRefusal::Invalid(saying!("request-rule-too-short")).into());
    }
    let usual = RuleWidth { arguments, limits: UseLimits::default(), requester_only: false };
    let width = wanted.width.unwrap_or(&usual);
    check_width(width, call)?;
    let scope = match (wanted.session, width.requester_only) {
        (Some(session), _) => RuleScope::Session(session.clone()),
        (None, true) => requester_scope(draft, call)?,
        (None, false) => RuleScope::Workspace,
    };
    if wanted.agents && !scope.can_add_agents() {
        return Err(MailRefusal::Invalid(saying!("request-rule-agents")).into());
    }
    let rule = StandingApprovalRule {
        id: draw_rule_id(turn, draft)?,
        command: name.clone(),
        version: terms.version.clone(),
        arguments: width.arguments.clone(),
        scope,
        author: author.to_owned(),
        expires: Deadline::after(draft.now, lasts),
        revoked: None,
        denies: None,
        uses: (!width.limits.is_none()).then(|| RuleUses::new(width.limits.clone())),
        // A rule made on the card of an agent also covers agents; any other rule only if the person says so.
        agents: wanted.agents || is_agent_call(draft, call),
        people: Some(people_of(author, &call.asked_by.people)),
    };
    if let Some(same) = made.iter().find(|other| is_same(other, &rule)) {
        return Ok(same.id.clone());
    }
    let most = turn.memory.runtime.always_max;
    let open = draft.body.rules.iter().filter(|rule| rule.is_open(draft.now)).count() + made.len();
    if most > 0 && open >= most {
        return Err(MailRefusal::Invalid(saying!("request-rules-too-many", most = most)).into());
    }
    let id = rule.id.clone();
    made.push(rule);
    Ok(id)
}

/// Refuses a width that does not cover the call on the card, or whose conditions or limits mean nothing: a person would
/// take it for another one.
fn check_width(width: &RuleWidth, call: &Call) -> Result<(), MailRefusal> {
    check_conditions(&width.arguments)?;
    check_limits(&width.limits)?;
    let arguments = &call.effective_command().arguments;
    let is_covered = matches_arguments(&width.arguments, arguments)
        && width.limits.amount_of(arguments).is_some_and(|amount| width.limits.admit_first(amount));
    if is_covered { Ok(()) } else { Err(MailRefusal::Invalid(saying!("request-rule-width"))) }
}

/// Refuses conditions that no call, or calls that nobody meant, would meet.
pub(crate) fn check_conditions(conditions: &[(String, ArgumentCondition)]) -> Result<(), MailRefusal> {
    let fault = conditions.iter().find_map(|(name, condition)| Some((name, condition.fault()?)));
    let Some((argument, fault)) = fault else { return Ok(()) };
    let most = ArgumentCondition::VALUES_MAX;
    Err(MailRefusal::Invalid(match fault {
        ConditionFault::ValueCount => saying!("request-rule-values", argument = argument, most = most),
        ConditionFault::EmptyRange => saying!("request-rule-range", argument = argument),
        ConditionFault::NoText => saying!("request-rule-text", argument = argument),
        ConditionFault::OpenHost => saying!("request-rule-host", argument = argument),
    }))
}

/// Refuses limits that do not fit together.
pub(crate) fn check_limits(limits: &UseLimits) -> Result<(), MailRefusal> {
    if limits.is_valid() {
        return Ok(());
    }
    Err(MailRefusal::Invalid(saying!("request-rule-limits", most = UseLimits::CALLS_MAX)))
}

/// The scope of a rule for what asks: the agent, the automation of a run, or else the session.
fn requester_scope(draft: &TurnDraft, call: &Call) -> Result<RuleScope, MailRefusal> {
    let Some(drafted) = find_requester(draft, call) else {
        return Err(MailRefusal::no_call(&call.id));
    };
    let facts = &drafted.facts;
    Ok(match (&facts.agent, &facts.automation) {
        (Some(agent), _) => RuleScope::Agent(agent.name.clone()),
        (None, Some(automation)) => RuleScope::Automation(AutomationId::new(automation.as_str())),
        (None, None) => RuleScope::Session(facts.id.clone()),
    })
}

/// Stores new rules. Expired rules are removed; of the revoked ones the latest stay visible.
pub(crate) fn store_rules(turn: &TurnContext<'_>, draft: &mut TurnDraft, rules: Vec<StandingApprovalRule>) {
    if rules.is_empty() {
        return;
    }
    let now = draft.now;
    let kept = &mut draft.body.rules;
    // By the expiry each rule has: a clock that was set back removes none of them.
    kept.retain(|rule| !rule.expires.is_due(now));
    kept.extend(rules);
    let most = turn.memory.runtime.always_max;
    while most > 0 && kept.len() > most {
        let Some(index) = kept.iter().position(|rule| !rule.is_open(now)) else { break };
        kept.remove(index);
    }
    draft.is_body_changed = true;
}

/// Revokes a rule; returns whether that is a change, or `None` if there is no such rule.
pub(crate) fn revoke_rule(draft: &mut TurnDraft, author: &str, id: &str) -> Option<bool> {
    let now = draft.now;
    let rule = draft.body.rules.iter_mut().find(|rule| rule.id == id)?;
    // One that is used up may still cover calls that wait to start, and a clock may go back behind the end of one.
    let is_change = rule.revoked.is_none();
    if is_change {
        rule.revoked = Some((author.to_owned(), now));
        draft.is_body_changed = true;
    }
    Some(is_change)
}

/// Whether two rules cover the same calls.
fn is_same(one: &StandingApprovalRule, other: &StandingApprovalRule) -> bool {
    one.command == other.command
        && one.version == other.version
        && one.arguments == other.arguments
        && one.scope == other.scope
        && one.agents == other.agents
        && limits_of(one) == limits_of(other)
        && one.people == other.people
}

fn limits_of(rule: &StandingApprovalRule) -> Option<&UseLimits> {
    rule.uses.as_ref().map(|uses| &uses.limits)
}

/// The people whose words a rule covers: its author and these others.
pub(crate) fn people_of(author: &str, others: &[String]) -> Vec<String> {
    let others = others.iter().filter(|other| *other != author);
    std::iter::once(author.to_owned()).chain(others.cloned()).collect()
}
