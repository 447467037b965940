//! A rule that a person makes without a pending call: an approval given in advance, or a refusal.

use entracte_domain::id::Digest;
use entracte_domain::plan::PlanCommand;
use entracte_domain::restriction::CommandPattern;
use entracte_domain::time::Deadline;
use entracte_domain::validation::{ArgumentCondition, RuleScope, RuleUses, StandingApprovalRule, UseLimits};
use entracte_domain::value::JsonValue;

use crate::commands::CatalogEntry;
use crate::mail::{AddRuleRequest, MailAnswer, MailRefusal, NewRuleRequest, RevokeRuleRequest};
use crate::ports::SchemaFault;
use crate::runtime::turn::commands::{ApplyToWorkspace, WorkspaceDraftEdit};
use crate::runtime::turn::context::TurnContext;
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::runtime::turn::schedule::find_automation;
use crate::runtime::turn::standing_rules::{check_conditions, check_limits, people_of};
use crate::texts::{LocalizedTexts, saying};

impl ApplyToWorkspace for AddRuleRequest {
    /// Creates the rule. Waiting calls are checked again immediately: a call that it refuses no longer waits.
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        check_may_approve(edit)?;
        let rule = build_manual_rule(edit, &self.author, &self.new)?;
        let id = rule.id.clone();
        edit.store_rule(rule);
        edit.queue_rechecks()?;
        Ok(MailAnswer::Made { id })
    }
}

impl ApplyToWorkspace for RevokeRuleRequest {
    /// Revokes a standing approval: calls that have not started immediately need approval again. The rule stays
    /// listed until it would have expired.
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        check_may_approve(edit)?;
        let Self { author, rule } = self;
        match edit.revoke_rule(author, rule) {
            None => return Err(MailRefusal::NotFound(saying!("request-no-rule", rule = rule)).into()),
            Some(false) => {}
            Some(true) => edit.queue_rechecks()?,
        }
        Ok(MailAnswer::Done)
    }
}

fn check_may_approve(edit: &WorkspaceDraftEdit<'_>) -> Result<(), MailRefusal> {
    if edit.may_approve() { Ok(()) } else { Err(MailRefusal::NeedsApprove) }
}

fn build_manual_rule(
    edit: &mut WorkspaceDraftEdit<'_>,
    author: &str,
    new: &NewRuleRequest,
) -> Result<StandingApprovalRule, RequestNotApplied> {
    let turn = edit.turn();
    let invalid = |what| Err(RequestNotApplied::from(MailRefusal::Invalid(what)));
    let known = turn.memory.catalog.find(&new.command);
    let (command, version) = match (&new.denies, known) {
        (None, Some(known)) if known.spec.destructive => {
            let name = &known.spec.name;
            return invalid(saying!("request-rule-destructive", command = name));
        }
        (None, Some(known)) if known.spec.asks => {
            let name = &known.spec.name;
            return invalid(saying!("request-rule-asks", command = name));
        }
        (None, Some(known)) if PlanCommand::from_word(&known.spec.name).is_some() => {
            let name = &known.spec.name;
            return invalid(saying!("request-rule-plan", command = name));
        }
        (_, Some(known)) => {
            check_arguments(known, new)?;
            if new.denies.is_none() {
                check_it_can_match(known, new, edit.refusal_texts())?;
            }
            (known.spec.name.clone(), known.version.clone())
        }
        // All commands of a resource; nothing is known of their arguments.
        (Some(_), None) if new.arguments.is_empty() && matches_any_command(turn, &new.command) => {
            (new.command.clone(), Digest::new(""))
        }
        (_, None) => {
            let unknown = saying!("request-rule-command", command = &new.command);
            return Err(MailRefusal::NotFound(unknown).into());
        }
    };
    let usual = match &new.denies {
        // A refusal stands until it is revoked.
        Some(_) => StandingApprovalRule::FOR_EVER,
        None => turn.memory.runtime.always_expires,
    };
    let lasts = new.lasts.unwrap_or(usual);
    if lasts.0 <= 0 {
        return invalid(saying!("request-rule-too-short"));
    }
    check_predicates(new)?;
    check_scope(edit, &new.scope)?;
    if new.agents && (new.denies.is_some() || !new.scope.can_add_agents()) {
        return invalid(saying!("request-rule-agents"));
    }
    let most = turn.memory.runtime.always_max;
    let now = edit.draft().now;
    let open = edit.draft().body.rules.iter().filter(|rule| rule.is_open(now)).count();
    if most > 0 && open >= most {
        return invalid(saying!("request-rules-too-many", most = most));
    }
    Ok(StandingApprovalRule {
        id: edit.draw_rule_id()?,
        command,
        version,
        arguments: new.arguments.clone(),
        scope: new.scope.clone(),
        author: author.to_owned(),
        expires: Deadline::after(now, lasts),
        revoked: None,
        denies: new.denies.clone(),
        uses: (!new.limits.is_none()).then(|| RuleUses::new(new.limits.clone())),
        agents: new.agents,
        people: new.denies.is_none().then(|| people_of(author, &new.people)),
    })
}

/// Refuses conditions and limits that mean nothing, and those that a denial cannot have: what is denied must not depend on
/// how a value is written, or on what was used before.
fn check_predicates(new: &NewRuleRequest) -> Result<(), MailRefusal> {
    check_conditions(&new.arguments)?;
    let names: Vec<&String> = new.arguments.iter().map(|(name, _)| name).collect();
    if let Some(twice) =
        names.iter().enumerate().find_map(|(at, name)| names[..at].contains(name).then_some(name))
    {
        return Err(MailRefusal::Invalid(saying!("request-rule-twice", argument = *twice)));
    }
    if new.denies.is_none() {
        return check_limits(&new.limits);
    }
    let unfit = new.arguments.iter().find(|(_, condition)| !condition.fits_denial());
    match unfit {
        Some((argument, _)) => Err(MailRefusal::Invalid(saying!("request-rule-denial", argument = argument))),
        None if !new.limits.is_none() => {
            Err(MailRefusal::Invalid(saying!("request-rule-limits", most = UseLimits::CALLS_MAX)))
        }
        None => Ok(()),
    }
}

/// Refuses a scope that no session is in: the rule would have no effect.
fn check_scope(edit: &mut WorkspaceDraftEdit<'_>, scope: &RuleScope) -> Result<(), RequestNotApplied> {
    match scope {
        RuleScope::Workspace => {}
        RuleScope::Session(session) => {
            if !edit.draft_session(session)? {
                return Err(MailRefusal::no_session(session).into());
            }
        }
        RuleScope::Automation(automation) => {
            if find_automation(edit.turn(), edit.draft(), automation).is_none() {
                return Err(MailRefusal::no_automation(automation).into());
            }
        }
        RuleScope::Agent(name) => {
            let mut known = edit.turn().memory.catalog.entries();
            if !known.any(|known| known.spec.agent.as_ref().is_some_and(|agent| agent.name == *name)) {
                return Err(MailRefusal::NotFound(saying!("request-rule-agent", agent = name)).into());
            }
        }
    }
    Ok(())
}

fn matches_any_command(turn: &TurnContext<'_>, pattern: &str) -> bool {
    let pattern = CommandPattern::from_text(pattern);
    turn.memory.catalog.entries().any(|known| pattern.matches_command(&known.spec.name))
}

/// Refuses conditions on arguments that the command does not have, and a sum of one: they would never hold, and the rule
/// would have no effect.
fn check_arguments(known: &CatalogEntry, new: &NewRuleRequest) -> Result<(), MailRefusal> {
    let properties = known.spec.schema.get("properties").and_then(JsonValue::as_object).unwrap_or_default();
    let names: Vec<&str> = properties.iter().map(|(name, _)| name.as_str()).collect();
    let mut given = new.arguments.iter().map(|(name, _)| name).chain(&new.limits.summed);
    match given.find(|name| !names.contains(&name.as_str())) {
        None => Ok(()),
        Some(argument) => {
            let command = &known.spec.name;
            let arguments = names.join(", ");
            Err(MailRefusal::Invalid(saying!(
                "request-rule-argument",
                command = command,
                argument = argument,
                arguments = arguments
            )))
        }
    }
}

/// Refuses an approval that no call can match, because it would only seem effective: most queries need no approval, a
/// call has all required arguments, and a rule that gives every value covers a single call, which must be valid.
fn check_it_can_match(
    known: &CatalogEntry,
    new: &NewRuleRequest,
    texts: &LocalizedTexts,
) -> Result<(), MailRefusal> {
    let command = &known.spec.name;
    if !known.spec.may_need_approval() {
        return Err(MailRefusal::Invalid(saying!("request-rule-query", command = command)));
    }
    let left_out = left_out(known, new);
    if !left_out.is_empty() {
        let arguments = left_out.join(", ");
        return Err(MailRefusal::Invalid(saying!(
            "request-rule-left-out",
            command = command,
            arguments = arguments
        )));
    }
    let faults: Vec<String> =
        faults_of_the_only_call(known, new, texts).iter().map(SchemaFault::sentence).collect();
    match faults.is_empty() {
        true => Ok(()),
        false => {
            let faults = faults.join("; ");
            Err(MailRefusal::Invalid(saying!("request-rule-value", command = command, faults = faults)))
        }
    }
}

/// The required arguments of a command that the rule does not name.
fn left_out<'a>(known: &'a CatalogEntry, new: &NewRuleRequest) -> Vec<&'a str> {
    let required = known.spec.schema.get("required").and_then(JsonValue::as_list);
    let names = required.into_iter().flatten().filter_map(JsonValue::as_text);
    names.filter(|name| !new.arguments.iter().any(|(argument, _)| argument == name)).collect()
}

/// The faults of the only call that a rule with a value for every argument covers; empty if some argument may
/// have any value.
fn faults_of_the_only_call(
    known: &CatalogEntry,
    new: &NewRuleRequest,
    texts: &LocalizedTexts,
) -> Vec<SchemaFault> {
    let value = |(name, condition): &(String, ArgumentCondition)| match condition {
        ArgumentCondition::Is(value) => Some((name.clone(), value.clone())),
        ArgumentCondition::Any
        | ArgumentCondition::OneOf(_)
        | ArgumentCondition::Range(_)
        | ArgumentCondition::Prefix(_)
        | ArgumentCondition::Pattern(_) => None,
    };
    let only: Option<Vec<(String, JsonValue)>> = new.arguments.iter().map(value).collect();
    only.map_or_else(Vec::new, |members| known.argument_faults(&JsonValue::Object(members), texts))
}
