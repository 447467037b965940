//! `cost`: reports the cost of model calls.

use std::collections::BTreeMap;

use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{CostReportQuery, CostReportRow, ReportCosts};
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;
use jiff::civil::Date;

use crate::app_services::AppServices;
use crate::args::{CostCommand, CostGrouping};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::{CostObject, CostRebuildObject, CostRowObject, csv_header, csv_row};
use crate::render::listing::{heads, write_table};
use crate::render::stored_words;
use crate::user_text::message;

/// Runs `cost …`.
pub(crate) async fn run(context: &CommandContext, command: CostCommand) -> Result<CliExitCode, CliError> {
    let (by, session, since, until, csv) = match command {
        CostCommand::Report { by, session, since, until, csv } => (by, session, since, until, csv),
        CostCommand::Rebuild => return rebuild(context),
    };
    if csv && context.out.json {
        return Err(CliError::with_next(
            CliExitCode::Usage,
            message!("cost-csv-or-json"),
            "entracte cost report --csv",
        ));
    }
    let since = day_of("--since", since.as_deref())?;
    let until = day_of("--until", until.as_deref())?;
    report(context, by, session.as_deref(), (since, until), csv).await
}

/// Rows that are read at once.
const PAGE: u32 = 1_000;

async fn report(
    context: &CommandContext,
    by: CostGrouping,
    named: Option<&str>,
    (since, until): CostDays,
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
    let costs = ReportCosts::new(services.log.clone());
    let begins = |day: Date| start_of_day(day, context);
    let mut query = CostReportQuery {
        by: by.into(),
        session,
        since: since.and_then(begins),
        until: until.and_then(|day| begins(day.tomorrow().ok()?)),
        zone: context.zone.clone(),
        after: None,
        limit: PAGE,
    };
    let automations = names(&services, context, by).await?;
    let total = costs.total(workspace, query.session.as_ref(), (query.since, query.until)).await?;
    let mut rows = Vec::new();
    if as_csv {
        context.out.write_data_line(&csv_header(by.word()))?;
    }
    loop {
        let mut page = costs.run(workspace, &query).await?;
        for row in page.rows.iter_mut().filter(|_| by == CostGrouping::Automation) {
            row.name = row.key.as_ref().and_then(|id| automations.get(id).cloned());
        }
        match as_csv {
            // A page of them is in memory at a time.
            true => {
                for row in page.rows {
                    context.out.write_data_line(&csv_row(&CostRowObject::from(row)))?;
                }
            }
            false => rows.extend(page.rows),
        }
        match page.next {
            Some(next) => query.after = Some(next),
            None => break,
        }
    }
    let uncounted = costs.uncounted_sessions(workspace).await?;
    if uncounted > 0 {
        context.out.write_notice(&say!(texts, "cost-uncounted", count = uncounted));
    }
    if as_csv {
        return Ok(CliExitCode::Done);
    }
    let (count, total) = total;
    if context.out.json {
        let (since, until) = (since.map(|day| day.to_string()), until.map(|day| day.to_string()));
        let zone = context.zone.iana_name().unwrap_or("UTC");
        context.out.write_json_line(&CostObject::new(
            by.word(),
            workspace.as_str(),
            since,
            until,
            zone,
            rows.into_iter().map(CostRowObject::from).collect(),
            CostRowObject::new(None, None, count, total),
            uncounted,
        ))?;
        return Ok(CliExitCode::Done);
    }
    draw(context, by, &rows, count, total, texts)
}

/// The first and the last day of a report.
type CostDays = (Option<Date>, Option<Date>);

/// The first instant of a day; `None` outside the supported years.
fn start_of_day(day: Date, context: &CommandContext) -> Option<Timestamp> {
    let start = day.to_zoned(context.zone.clone()).ok()?.start_of_day().ok()?;
    Some(Timestamp(start.timestamp().as_microsecond()))
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
    let is_named = rows.iter().any(|row| row.name.is_some());
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
        .map(|row| cells(row.key.as_deref(), row.name.as_deref(), row.attempts, &row.usage))
        .collect();
    if rows.is_empty() {
        context.out.write_notice(&texts.render("cost-none", &[]));
        return Ok(CliExitCode::Done);
    }
    drawn.push(cells(Some(&texts.render("cost-total", &[])), None, count, &total));
    write_table(&context.out, &head, &drawn)?;
    Ok(CliExitCode::Done)
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

/// Adds up all costs anew.
fn rebuild(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let result = services.database.recount_costs(&|step| context.report_opening_step(step))?;
    let texts = context.environment.texts();
    if context.out.json {
        context.out.write_json_line(&CostRebuildObject::new(result))?;
    } else {
        context.out.write_notice(&say!(texts, "cost-rebuilt", count = result.counted));
        if result.unreadable > 0 {
            context.out.write_notice(&say!(texts, "cost-uncounted", count = result.unreadable));
        }
    }
    Ok(CliExitCode::Done)
}
