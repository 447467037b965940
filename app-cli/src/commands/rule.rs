//! `rule`: manages standing approvals.

use entracte_application::mail::NewRuleRequest;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{AddApprovalRule, RevokeApprovalRule};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{ArgumentCondition, StandingApprovalRule};
use entracte_domain::value::JsonValue;

use super::decisions::{arguments, duration};
use crate::app_services::AppServices;
use crate::args::{AddRuleArgs, RuleCommand};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::drain_before_exit;
use crate::json::{RuleObject, RulesObject};
use crate::render::listing::table;
use crate::render::rule::{command, conditions, scope, state, words};
use crate::render::text::block;
use crate::runtime_access::RuntimeAccess;

/// Runs `rule …`.
pub(crate) async fn run(desk: &CommandContext, command: RuleCommand) -> Result<CliExitCode, CliError> {
    match command {
        RuleCommand::List { all } => list(desk, all).await,
        RuleCommand::Show { rule } => show(desk, &rule).await,
        RuleCommand::Add(args) => add(desk, &args).await,
        RuleCommand::Revoke { rule } => revoke(desk, &rule).await,
    }
}

async fn list(desk: &CommandContext, all: bool) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let workspace = &desk.settings.workspace;
    let rules = wiring.read_rules().run(workspace, all).await?;
    let now = wiring.clock.now();
    if desk.out.json {
        desk.out.write_json_line(&RulesObject::new(&rules, now))?;
        return Ok(CliExitCode::Done);
    }
    let texts = desk.texts(&wiring, workspace).await?;
    if rules.is_empty() {
        desk.out.write_notice(&say!(texts, "rule-none", workspace = workspace.as_str()));
    }
    let rows: Vec<Vec<String>> = rules.iter().map(|rule| row(desk, rule, now, texts)).collect();
    let head = ["rule", "state", "author", "command", "scope", "where"];
    let head = head.map(|name| texts.render(&format!("rule-head-{name}"), &[]));
    for line in table(&head.each_ref().map(String::as_str), &rows, desk.out.style) {
        desk.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

fn row(
    desk: &CommandContext,
    rule: &StandingApprovalRule,
    now: Timestamp,
    texts: &LocalizedTexts,
) -> Vec<String> {
    vec![
        rule.id.clone(),
        state(rule, now, texts, &desk.zone),
        rule.author.clone(),
        command(rule, texts),
        scope(rule, texts),
        conditions(rule, texts),
    ]
}

async fn show(desk: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let workspace = &desk.settings.workspace;
    let rule = named_rule(desk, &wiring, named).await?;
    let now = wiring.clock.now();
    if desk.out.json {
        desk.out.write_json_line(&RuleObject::single(&rule, now))?;
        return Ok(CliExitCode::Done);
    }
    let texts = desk.texts(&wiring, workspace).await?;
    let lines = [
        format!("{}  {}", rule.id, state(&rule, now, texts, &desk.zone)),
        words(&rule, texts, &desk.zone),
        match &rule.denies {
            None => say!(texts, "rule-only-these"),
            Some(reason) => say!(texts, "rule-denies-why", reason = reason),
        },
        say!(texts, "rule-given-by", who = &rule.author, at = made(desk, &rule)),
    ];
    desk.out.write_data_line(&block(&lines.join("\n  ")))?;
    Ok(CliExitCode::Done)
}

fn made(desk: &CommandContext, rule: &StandingApprovalRule) -> String {
    crate::render::time::day(rule.expires.armed_at, &desk.zone)
}

/// Creates a rule by hand, and shows its text.
async fn add(desk: &CommandContext, args: &AddRuleArgs) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let workspace = &desk.settings.workspace;
    let session = match &args.session {
        Some(named) => Some(wiring.named_session(workspace, named).await?),
        None => None,
    };
    let JsonValue::Object(exact) = arguments("--where", &args.conditions)? else {
        return Ok(CliExitCode::Usage);
    };
    let exact = exact.into_iter().map(|(name, value)| (name, ArgumentCondition::Is(value)));
    let any = args.any.iter().map(|name| (name.clone(), ArgumentCondition::Any));
    let new = NewRuleRequest {
        command: args.command.clone(),
        arguments: exact.chain(any).collect(),
        session,
        denies: args.deny.then(|| args.reason.clone().unwrap_or_default()),
        lasts: args.lasts.as_deref().map(duration).transpose()?,
        times: args.times,
        agents: args.agents,
        people: args.people.clone(),
    };
    let way = RuntimeAccess::open(wiring.clone()).await?;
    let added = AddApprovalRule::new(way.clone()).run(workspace, desk.settings.author.clone(), new).await;
    drain_before_exit(&wiring, &way, |line| desk.out.write_notice(line)).await?;
    added.map_err(|error| CliError::from(error).or_next("entracte command list"))?;
    // The newest rule is last.
    let Some(rule) = wiring.read_rules().run(workspace, false).await?.pop() else {
        return Ok(CliExitCode::Done);
    };
    if desk.out.json {
        desk.out.write_json_line(&RuleObject::single(&rule, wiring.clock.now()))?;
        return Ok(CliExitCode::Done);
    }
    let texts = desk.texts(&wiring, workspace).await?;
    desk.out.write_data_line(&block(&format!("{}  {}", rule.id, words(&rule, texts, &desk.zone))))?;
    Ok(CliExitCode::Done)
}

async fn revoke(desk: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let wiring = desk.open_services()?;
    let workspace = &desk.settings.workspace;
    let rule = named_rule(desk, &wiring, named).await?;
    let way = RuntimeAccess::open(wiring.clone()).await?;
    let revoked = RevokeApprovalRule::new(way.clone())
        .run(workspace, desk.settings.author.clone(), rule.id.clone())
        .await;
    drain_before_exit(&wiring, &way, |line| desk.out.write_notice(line)).await?;
    revoked?;
    if desk.out.json {
        let rule = wiring.read_rules().one(workspace, &rule.id).await?;
        desk.out.write_json_line(&RuleObject::single(&rule, wiring.clock.now()))?;
        return Ok(CliExitCode::Done);
    }
    let texts = desk.texts(&wiring, workspace).await?;
    desk.out.write_notice(&say!(texts, "rule-revoked-now", rule = &rule.id));
    Ok(CliExitCode::Done)
}

async fn named_rule(
    desk: &CommandContext,
    wiring: &AppServices,
    named: &str,
) -> Result<StandingApprovalRule, CliError> {
    let found = wiring.read_rules().one(&desk.settings.workspace, named).await;
    found.map_err(|error| CliError::from(error).or_next("entracte rule list --all"))
}
