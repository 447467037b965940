//! `rule`: manages standing approvals.

use entracte_adapters_http::shapes::rule::{NewRuleShape, RuleShape};
use entracte_application::texts::{LocalizedTexts, say};
use serde::Serialize;

use super::decisions::{duration, whole_seconds};
use super::rule_conditions::{self, until_end_of};
use crate::api_client::{ApiClient, ShortIdKind, delete, post};
use crate::args::{AddRuleArgs, RuleCommand};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::listing::{heads_of, write_table};
use crate::render::rule::{command, conditions, scope, shown_day, state, usage, words};
use crate::render::text::block;

/// Runs `rule …`.
pub(crate) async fn run(context: &CommandContext, command: RuleCommand) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    match command {
        RuleCommand::List { all } => list(context, &api, all).await,
        RuleCommand::Show { rule } => show(context, &api, &rule).await,
        RuleCommand::Add(args) => add(context, &api, &args).await,
        RuleCommand::Revoke { rule } => revoke(context, &api, &rule).await,
    }
}

/// What `rule list --json` prints.
#[derive(Serialize)]
struct RulesObject {
    rules: Vec<RuleShape>,
}

async fn list(context: &CommandContext, api: &ApiClient<'_>, all: bool) -> Result<CliExitCode, CliError> {
    let path = api.path(&["rules"]).with("all", if all { "true" } else { "false" });
    let mut rules: Vec<RuleShape> = api.list(&path).await?;
    // The latest stands at the end, where a terminal shows it.
    rules.reverse();
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.rules/1", RulesObject { rules }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    if rules.is_empty() {
        context.out.write_notice(&say!(texts, "rule-none", workspace = api.workspace().as_str()));
    }
    let rows: Vec<Vec<String>> = rules.iter().map(|rule| row(context, rule, texts)).collect();
    let heads = heads_of(texts, "rule", &["rule", "state", "author", "command", "scope", "where"]);
    write_table(&context.out, &heads, &rows)?;
    Ok(CliExitCode::Done)
}

fn row(context: &CommandContext, rule: &RuleShape, texts: &LocalizedTexts) -> Vec<String> {
    vec![
        rule.id.clone(),
        state(rule, texts, &context.zone),
        rule.author.clone(),
        command(rule, texts),
        scope(rule, texts),
        conditions(rule, texts),
    ]
}

async fn show(context: &CommandContext, api: &ApiClient<'_>, named: &str) -> Result<CliExitCode, CliError> {
    let rule = named_rule(api, named).await?;
    if context.out.json {
        return print_object(context, rule);
    }
    let texts = api.texts().await?;
    let mut lines = vec![
        format!("{}  {}", rule.id, state(&rule, texts, &context.zone)),
        words(&rule, texts, &context.zone),
        match &rule.denies {
            None => say!(texts, "rule-only-these"),
            Some(reason) => say!(texts, "rule-denies-why", reason = reason),
        },
        say!(texts, "rule-given-by", who = &rule.author, at = shown_day(&rule.made_at, &context.zone)),
    ];
    lines.extend(usage(&rule, texts, &context.zone));
    context.out.write_data_line(&block(&lines.join("\n  ")))?;
    Ok(CliExitCode::Done)
}

/// Prints a single rule as JSON.
fn print_object(context: &CommandContext, rule: RuleShape) -> Result<CliExitCode, CliError> {
    context.out.write_json_line(&VersionedShape::new("entracte.rule/1", rule))?;
    Ok(CliExitCode::Done)
}

/// Creates a rule by hand, and shows its text.
async fn add(
    context: &CommandContext,
    api: &ApiClient<'_>,
    args: &AddRuleArgs,
) -> Result<CliExitCode, CliError> {
    let session = match &args.session {
        Some(named) => Some(api.find(ShortIdKind::Session, named).await?),
        None => None,
    };
    let automation = match &args.automation {
        Some(named) => Some(api.find(ShortIdKind::Automation, named).await?),
        None => None,
    };
    let lasts = match (&args.lasts, &args.until) {
        (Some(lasts), _) => Some(duration(lasts)?),
        (None, Some(day)) => {
            // The zone of the workspace is known once its texts are.
            api.texts().await?;
            Some(until_end_of(day, context)?)
        }
        (None, None) => None,
    };
    let new = NewRuleShape {
        command: args.command.clone(),
        arguments: rule_conditions::conditions(args)?,
        session,
        automation,
        agent: args.agent.clone(),
        denies: args.deny.then(|| args.reason.clone().unwrap_or_default()),
        lasts_seconds: lasts.map(whole_seconds),
        times: args.times,
        limits: rule_conditions::limits(args)?,
        agents: args.agents,
        people: args.people.clone(),
    };
    let added = api.change::<RuleShape>(post(&api.path(&["rules"]), &new)).await;
    let rule = added.map_err(|error| error.or_next("entracte command list"))?;
    if context.out.json {
        return print_object(context, rule);
    }
    let texts = api.texts().await?;
    context.out.write_data_line(&block(&format!("{}  {}", rule.id, words(&rule, texts, &context.zone))))?;
    Ok(CliExitCode::Done)
}

async fn revoke(context: &CommandContext, api: &ApiClient<'_>, named: &str) -> Result<CliExitCode, CliError> {
    let rule = named_rule(api, named).await?;
    let path = api.path(&["rules", &rule.id]);
    api.change_only(delete(&path)).await?;
    if context.out.json {
        return print_object(context, api.get(&path).await?);
    }
    let texts = api.texts().await?;
    context.out.write_notice(&say!(texts, "rule-revoked-now", rule = &rule.id));
    Ok(CliExitCode::Done)
}

async fn named_rule(api: &ApiClient<'_>, named: &str) -> Result<RuleShape, CliError> {
    let hint = |error: CliError| error.or_next("entracte rule list --all");
    let id = api.find(ShortIdKind::Rule, named).await.map_err(hint)?;
    api.get(&api.path(&["rules", &id])).await.map_err(hint)
}
