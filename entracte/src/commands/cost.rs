//! `cost`: reports the cost of model calls.

use entracte_adapters_http::shapes::cost::{
    CostRow, CostsShape, ReservationsShape, SpendingAnswerShape, UsageSettlementShape, UsageShape,
};
use entracte_adapters_http::shapes::session::AcceptedShape;
use entracte_application::texts::{LocalizedTexts, say};
use jiff::civil::Date;
use serde::Serialize;

use super::request_follow_up::RequestFollowUp;
use crate::api_client::{ApiClient, ShortIdKind, post};
use crate::args::{CostCommand, CostGrouping};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::{CostRebuildObject, VersionedShape, csv_header, csv_row};
use crate::render::listing::{CutList, ListLimit, heads, write_table};
use crate::render::stored_words;
use crate::user_text::message;

/// Runs `cost …`.
pub(crate) async fn run(context: &CommandContext, command: CostCommand) -> Result<CliExitCode, CliError> {
    let (by, session, since, until, limit, csv) = match command {
        CostCommand::Report { by, session, since, until, limit, csv } => {
            (by, session, since, until, limit, csv)
        }
        CostCommand::Extend { session, usd, tokens } => {
            let answer = SpendingAnswerShape { go_on: true, cost_usd: usd, tokens };
            return answer_spending(context, &session, &answer).await;
        }
        CostCommand::Decline { session } => {
            let answer = SpendingAnswerShape { go_on: false, cost_usd: None, tokens: None };
            return answer_spending(context, &session, &answer).await;
        }
        CostCommand::Settle { call, usd, tokens } => return settle(context, &call, usd, tokens).await,
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
    let limit = ListLimit { asked: limit, on_terminal: ROWS_ON_TERMINAL };
    report(context, by, session.as_deref(), (since, until), limit, csv).await
}

/// How many rows a person at a terminal gets at once.
const ROWS_ON_TERMINAL: usize = 40;

async fn report(
    context: &CommandContext,
    by: CostGrouping,
    named: Option<&str>,
    (since, until): CostDays,
    limit: ListLimit,
    as_csv: bool,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    // The days are those of the workspace's time zone, which is set with its language.
    let texts = api.texts().await?;
    let session = match named {
        Some(named) => Some(api.find(ShortIdKind::Session, named).await?),
        None => None,
    };
    let begins = |day: Date| start_of_day(day, context);
    let path = api
        .path(&["costs"])
        .with("by", by.word())
        .with_some("session", session.as_deref())
        .with_some("since", since.and_then(begins).as_deref())
        .with_some("until", until.and_then(|day| begins(day.tomorrow().ok()?)).as_deref());
    if as_csv {
        context.out.write_data_line(&csv_header(by.word()))?;
    }
    let mut costs: CostsShape = api.get(&path).await?;
    let mut rows = Vec::new();
    let is_person = context.environment.stdout_terminal && !context.out.json && !as_csv;
    let mut extent = CutList { most: limit.rows(is_person), all: 0 };
    loop {
        let page = std::mem::take(&mut costs.rows);
        let room = extent.most.saturating_sub(extent.all);
        extent.all += page.len();
        let mut page = page.into_iter().take(room);
        match as_csv {
            // A page of them is in memory at a time.
            true => page.try_for_each(|row| context.out.write_data_line(&csv_row(&row)))?,
            false => rows.extend(page),
        }
        let Some(next) = costs.next else { break };
        costs = api.get(&path.clone().with("after", &next)).await?;
    }
    if costs.sessions_uncounted > 0 {
        context.out.write_notice(&say!(texts, "cost-uncounted", count = costs.sessions_uncounted));
    }
    if as_csv {
        extent.write_left_out(&context.out, texts);
        return Ok(CliExitCode::Done);
    }
    costs.rows = rows;
    if context.out.json {
        let days = |day: Option<Date>| day.map(|day| day.to_string());
        let workspace = api.workspace().as_str().to_owned();
        let shape = CostObject { workspace, since: days(since), until: days(until), costs };
        context.out.write_json_line(&VersionedShape::new("entracte.cost/2", shape))?;
        return Ok(CliExitCode::Done);
    }
    draw(context, by, &costs, texts)?;
    extent.write_left_out(&context.out, texts);
    Ok(CliExitCode::Done)
}

/// What `cost report --json` prints.
#[derive(Serialize)]
struct CostObject {
    workspace: String,
    /// The first and the last requested day; null without a limit.
    since: Option<String>,
    until: Option<String>,
    #[serde(flatten)]
    costs: CostsShape,
}

/// The first and the last day of a report.
type CostDays = (Option<Date>, Option<Date>);

/// The first instant of a day, as the API writes instants; `None` outside the supported years.
fn start_of_day(day: Date, context: &CommandContext) -> Option<String> {
    let start = day.to_zoned(context.zone.clone()).ok()?.start_of_day().ok()?;
    Some(start.timestamp().to_string())
}

/// The table, and a line with the total.
fn draw(
    context: &CommandContext,
    by: CostGrouping,
    costs: &CostsShape,
    texts: &LocalizedTexts,
) -> Result<(), CliError> {
    let rows = &costs.rows;
    if rows.is_empty() {
        context.out.write_notice(&texts.render("cost-none", &[]));
        return Ok(());
    }
    let first = texts.render(&format!("cost-by-{}", by.word()), &[]);
    let mut head = vec![first];
    // The name of an automation among persons stands in the place of its key.
    let is_named = by != CostGrouping::Person && rows.iter().any(|row| row.name.is_some());
    head.extend(is_named.then(|| texts.render("head-name", &[])));
    // The subject columns come first, because a narrow terminal cuts the end of a line.
    head.extend(heads(texts, &["cost", "attempts", "input", "output", "cache-read", "cache-write"]));
    let reserved = costs.total_reservations.as_ref();
    head.extend(reserved.map(|_| texts.render("head-reservations", &[])));
    let cells = |key: &str, name: Option<&str>, attempts: u64, usage: &UsageShape| {
        let key = if key.is_empty() { texts.render("cost-no-key", &[]) } else { key.to_owned() };
        let mut cells = vec![key];
        cells.extend(is_named.then(|| name.unwrap_or_default().to_owned()));
        cells.push(stored_words::cost(usage, texts));
        let counts = [attempts, usage.input, usage.output, usage.cache_read, usage.cache_write];
        cells.extend(counts.iter().map(u64::to_string));
        cells
    };
    let named_cells = |row: &CostRow| match row.automation_of_person().filter(|_| by == CostGrouping::Person)
    {
        Some(id) => {
            let named = say!(texts, "cost-automation", name = row.name.as_deref().unwrap_or(id));
            cells(&named, None, row.attempts, &row.usage)
        }
        None => cells(&row.key, row.name.as_deref(), row.attempts, &row.usage),
    };
    let reserved_by = |shape: Option<&ReservationsShape>| {
        reserved.map(|_| shape.map(|shape| stored_words::reservations_text(shape, texts)).unwrap_or_default())
    };
    let row = |row: &CostRow| {
        let mut cells = named_cells(row);
        cells.extend(reserved_by(row.reservations.as_ref()));
        cells
    };
    let mut drawn: Vec<Vec<String>> = rows.iter().map(row).collect();
    let mut total = cells(&texts.render("cost-total", &[]), None, costs.total_attempts, &costs.total);
    total.extend(reserved_by(reserved));
    drawn.push(total);
    write_table(&context.out, &head, &drawn)
}

fn day_of(flag: &'static str, text: Option<&str>) -> Result<Option<Date>, CliError> {
    let wrong = |text: &str| {
        let says = message!("cost-no-day", flag = flag, given = text);
        CliError::with_next(CliExitCode::Usage, says, "entracte cost report --since 2026-11-01")
    };
    text.map(|text| text.parse().map_err(|_| wrong(text))).transpose()
}

/// Answers whether a session may use more of a cap, and follows what it does then.
async fn answer_spending(
    context: &CommandContext,
    named: &str,
    answer: &SpendingAnswerShape,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let session = api.find(ShortIdKind::Session, named).await?;
    let follow_up = RequestFollowUp::begin(context, &api, &session).await?;
    let answered =
        api.send::<AcceptedShape>(post(&api.path(&["sessions", &session, "spending"]), answer)).await;
    follow_up.check(answered).await?;
    follow_up.follow(false).await
}

/// Says what a model call of unknown usage used.
async fn settle(
    context: &CommandContext,
    call: &str,
    cost_usd: String,
    tokens: u64,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let path = api.path(&["model-calls", call, "settlement"]);
    let settled = UsageSettlementShape { tokens, cost_usd };
    let accepted: AcceptedShape = api.change(post(&path, &settled)).await?;
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.usage_settled/1", accepted))?;
    } else {
        context.out.write_notice(&say!(context.environment.texts(), "cost-settled", call = call));
    }
    Ok(CliExitCode::Done)
}

/// Adds up all costs anew.
fn rebuild(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let result = services.database.recount_costs(&|step| context.progress().show_opening(step))?;
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
