//! `rule`: manages standing approvals.

use entracte_adapters_http::shapes::rule::{RuleShape, RulesShape};
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
use crate::json::VersionedShape;
use crate::render::listing::table;
use crate::render::rule::{command, conditions, scope, state, words};
use crate::render::text::block;
use crate::runtime_access::RuntimeAccess;

/// Runs `rule …`.
pub(crate) async fn run(context: &CommandContext, command: RuleCommand) -> Result<CliExitCode, CliError> {
    match command {
        RuleCommand::List { all } => list(context, all).await,
        RuleCommand::Show { rule } => show(context, &rule).await,
        RuleCommand::Add(args) => add(context, &args).await,
        RuleCommand::Revoke { rule } => revoke(context, &rule).await,
    }
}

async fn list(context: &CommandContext, all: bool) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let rules = services.read_rules().run(workspace, all).await?;
    let now = services.clock.now();
    if context.out.json {
        context
            .out
            .write_json_line(&VersionedShape::new("entracte.rules/1", RulesShape::new(&rules, now)))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, workspace).await?;
    if rules.is_empty() {
        context.out.write_notice(&say!(texts, "rule-none", workspace = workspace.as_str()));
    }
    let rows: Vec<Vec<String>> = rules.iter().map(|rule| row(context, rule, now, texts)).collect();
    let head = ["rule", "state", "author", "command", "scope", "where"];
    let head = head.map(|name| texts.render(&format!("rule-head-{name}"), &[]));
    for line in table(&head.each_ref().map(String::as_str), &rows, context.out.style) {
        context.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

fn row(
    context: &CommandContext,
    rule: &StandingApprovalRule,
    now: Timestamp,
    texts: &LocalizedTexts,
) -> Vec<String> {
    vec![
        rule.id.clone(),
        state(rule, now, texts, &context.zone),
        rule.author.clone(),
        command(rule, texts),
        scope(rule, texts),
        conditions(rule, texts),
    ]
}

async fn show(context: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let rule = named_rule(context, &services, named).await?;
    let now = services.clock.now();
    if context.out.json {
        context.out.write_json_line(&single(&rule, now))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, workspace).await?;
    let lines = [
        format!("{}  {}", rule.id, state(&rule, now, texts, &context.zone)),
        words(&rule, texts, &context.zone),
        match &rule.denies {
            None => say!(texts, "rule-only-these"),
            Some(reason) => say!(texts, "rule-denies-why", reason = reason),
        },
        say!(texts, "rule-given-by", who = &rule.author, at = made(context, &rule)),
    ];
    context.out.write_data_line(&block(&lines.join("\n  ")))?;
    Ok(CliExitCode::Done)
}

/// A single rule as JSON.
fn single(rule: &StandingApprovalRule, now: Timestamp) -> VersionedShape<RuleShape> {
    VersionedShape::new("entracte.rule/1", RuleShape::new(rule, now))
}

fn made(context: &CommandContext, rule: &StandingApprovalRule) -> String {
    crate::render::time::day(rule.expires.armed_at, &context.zone)
}

/// Creates a rule by hand, and shows its text.
async fn add(context: &CommandContext, args: &AddRuleArgs) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let session = match &args.session {
        Some(named) => Some(services.named_session(workspace, named).await?),
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
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let added =
        AddApprovalRule::new(runtime.clone()).run(workspace, context.settings.author.clone(), new).await;
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    added.map_err(|error| CliError::from(error).or_next("entracte command list"))?;
    // The newest rule is last.
    let Some(rule) = services.read_rules().run(workspace, false).await?.pop() else {
        return Ok(CliExitCode::Done);
    };
    if context.out.json {
        context.out.write_json_line(&single(&rule, services.clock.now()))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, workspace).await?;
    context.out.write_data_line(&block(&format!("{}  {}", rule.id, words(&rule, texts, &context.zone))))?;
    Ok(CliExitCode::Done)
}

async fn revoke(context: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let rule = named_rule(context, &services, named).await?;
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let revoked = RevokeApprovalRule::new(runtime.clone())
        .run(workspace, context.settings.author.clone(), rule.id.clone())
        .await;
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    revoked?;
    if context.out.json {
        let rule = services.read_rules().one(workspace, &rule.id).await?;
        context.out.write_json_line(&single(&rule, services.clock.now()))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, workspace).await?;
    context.out.write_notice(&say!(texts, "rule-revoked-now", rule = &rule.id));
    Ok(CliExitCode::Done)
}

async fn named_rule(
    context: &CommandContext,
    services: &AppServices,
    named: &str,
) -> Result<StandingApprovalRule, CliError> {
    let found = services.read_rules().one(&context.settings.workspace, named).await;
    found.map_err(|error| CliError::from(error).or_next("entracte rule list --all"))
}
