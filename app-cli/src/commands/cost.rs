//! `cost`: reports the cost of model calls.

use std::collections::BTreeMap;

use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::{AttemptCost, CostTotal, ReportCosts, group_by};
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;
use jiff::civil::Date;

use crate::app_services::AppServices;
use crate::args::{CostCommand, CostGrouping};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::{CostObject, CostRowObject, csv};
use crate::render::listing::{heads, write_table};
use crate::render::stored_words;
use crate::render::time::date;
use crate::user_text::message;

/// Runs `cost …`.
pub(crate) async fn run(context: &CommandContext, command: CostCommand) -> Result<CliExitCode, CliError> {
    let CostCommand::Report { by, session, since, until, csv } = command;
    if csv && context.out.json {
        return Err(CliError::with_next(
            CliExitCode::Usage,
            message!("cost-csv-or-json"),
            "entracte cost report --csv",
        ));
    }
    let since = day_of("--since", since.as_deref())?;
    let until = day_of("--until", until.as_deref())?;
    report(context, by, session.as_deref(), since, until, csv).await
}

type CostReportRow = CostTotal<(Option<String>, Option<String>)>;

async fn report(
    context: &CommandContext,
    by: CostGrouping,
    named: Option<&str>,
    since: Option<Date>,
    until: Option<Date>,
    as_csv: bool,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    // The days are those of the workspace's time zone, which is set with its language.
    let texts = context.texts(&services, workspace).await?;
    let session = match named {
        Some(named) => Some(services.named_session(workspace, named).await?),
        None => None,
    };
    let mut attempts = ReportCosts::new(services.log.clone()).run(workspace, session.as_ref()).await?;
    let day = |at: Timestamp| date(at, &context.zone);
    attempts.retain(|attempt| {
        let day = day(attempt.at);
        since.is_none_or(|first| day.is_none_or(|day| day >= first))
            && until.is_none_or(|last| day.is_none_or(|day| day <= last))
    });
    let automations = names(&services, context, by).await?;
    let rows: Vec<CostReportRow> =
        group_by(&attempts, |attempt| key(by, attempt, day(attempt.at), &automations));
    let mut total = Usage::default();
    rows.iter().for_each(|row| total.add(row.usage));
    let count = rows.iter().map(|row| row.attempts).sum();
    if as_csv {
        let rows: Vec<CostRowObject> = rows.iter().map(CostRowObject::of).collect();
        for line in csv(by.word(), &rows) {
            context.out.write_data_line(&line)?;
        }
        return Ok(CliExitCode::Done);
    }
    if context.out.json {
        let (since, until) = (since.map(|day| day.to_string()), until.map(|day| day.to_string()));
        let total = CostRowObject::new(None, None, count, total);
        let zone = context.zone.iana_name().unwrap_or("UTC");
        let rows = rows.iter().map(CostRowObject::of).collect();
        context.out.write_json_line(&CostObject::new(
            by.word(),
            workspace.as_str(),
            since,
            until,
            zone,
            rows,
            total,
        ))?;
        return Ok(CliExitCode::Done);
    }
    draw(context, by, &rows, count, total, texts)
}

/// The table, and a line with the total.
fn draw(
    context: &CommandContext,
    by: CostGrouping,
    rows: &[CostReportRow],
    count: u64,
    total: Usage,
    texts: &LocalizedTexts,
) -> Result<CliExitCode, CliError> {
    let first = texts.render(&format!("cost-by-{}", by.word()), &[]);
    let mut head = vec![first];
    let is_named = rows.iter().any(|row| row.key.1.is_some());
    head.extend(is_named.then(|| texts.render("head-name", &[])));
    // The subject columns come first, because a narrow terminal cuts the end of a line.
    head.extend(heads(texts, &["cost", "attempts", "input", "output", "cache-read", "cache-write"]));
    let cells = |key: Option<&str>, name: Option<&str>, attempts: u64, usage: &Usage| {
        let mut cells = vec![key.map_or_else(|| texts.render("cost-no-key", &[]), str::to_owned)];
        cells.extend(is_named.then(|| name.unwrap_or_default().to_owned()));
        cells.push(stored_words::cost(usage, texts));
        let counts = [attempts, usage.input, usage.output, usage.cache_read, usage.cache_write];
        cells.extend(counts.iter().map(u64::to_string));
        cells
    };
    let mut drawn: Vec<Vec<String>> = rows
        .iter()
        .map(|row| cells(row.key.0.as_deref(), row.key.1.as_deref(), row.attempts, &row.usage))
        .collect();
    if rows.is_empty() {
        context.out.write_notice(&texts.render("cost-none", &[]));
        return Ok(CliExitCode::Done);
    }
    drawn.push(cells(Some(&texts.render("cost-total", &[])), None, count, &total));
    write_table(&context.out, &head, &drawn)?;
    Ok(CliExitCode::Done)
}

/// The group of a call: a key, and a name for people.
fn key(
    by: CostGrouping,
    attempt: &AttemptCost,
    day: Option<Date>,
    automations: &BTreeMap<String, String>,
) -> (Option<String>, Option<String>) {
    let AttemptCost { session, name, automation, provider, model, number, .. } = attempt;
    match by {
        CostGrouping::Attempt => (Some(session.model_call_id(*number).to_string()), Some(name.clone())),
        CostGrouping::Round => (Some(format!("{session} {}", number.round)), Some(name.clone())),
        CostGrouping::Session => (Some(session.to_string()), Some(name.clone())),
        CostGrouping::Automation => {
            let name = automation.as_ref().and_then(|id| automations.get(id).cloned());
            (automation.clone(), name)
        }
        CostGrouping::Day => (day.map(|day| day.to_string()), None),
        CostGrouping::Model => (Some(format!("{provider}/{model}")), None),
        CostGrouping::Provider => (Some(provider.clone()), None),
    }
}

/// The names of the existing automations.
async fn names(
    services: &AppServices,
    context: &CommandContext,
    by: CostGrouping,
) -> Result<BTreeMap<String, String>, CliError> {
    if by != CostGrouping::Automation {
        return Ok(BTreeMap::new());
    }
    let rows = services.automations.automations(&context.settings.workspace).await;
    let rows = rows.map_err(entracte_application::use_cases::UseCaseError::from)?;
    Ok(rows.into_iter().map(|row| (row.id.to_string(), row.name)).collect())
}

fn day_of(flag: &'static str, text: Option<&str>) -> Result<Option<Date>, CliError> {
    let wrong = |text: &str| {
        let says = message!("cost-no-day", flag = flag, given = text);
        CliError::with_next(CliExitCode::Usage, says, "entracte cost report --since 2026-11-01")
    };
    text.map(|text| text.parse().map_err(|_| wrong(text))).transpose()
}
