//! `retention`: shows and applies retention limits, and manages holds.

use entracte_adapters_http::api_transport::ApiFault;
use entracte_adapters_http::api_transport::api_path::ApiPath;
use entracte_adapters_http::problem::ProblemCode;
use entracte_adapters_http::shapes::retention::{
    NewRetentionHoldShape, RetentionCountShape, RetentionHeldShape, RetentionHoldShape, RetentionShape,
    RetentionTotalsShape,
};
use entracte_application::ports::ReclaimExtent;
use entracte_application::settings::RetentionSubject;
use entracte_application::texts::{LocalizedTexts, say};

use crate::api_client::{ApiClient, ShortIdKind, delete, post_empty, put};
use crate::args::{InstructionsScopeArgs, RetentionCommand};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::listing::{heads, write_table};
use crate::render::stored_words::word;
use crate::render::text::one_line;
use crate::render::time::{moment, shown_instant};
use crate::user_text::message;

/// The name of a held workspace in a path.
const WORKSPACE: &str = "workspace";

/// Runs `retention …`.
pub(crate) async fn run(
    context: &CommandContext,
    command: RetentionCommand,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    match command {
        RetentionCommand::Show => show(context, &api).await,
        RetentionCommand::Run { dry: true } => {
            report(context, &api, preview(&api).await?, "retention-would-go").await
        }
        RetentionCommand::Run { dry: false } => remove(context, &api).await,
        RetentionCommand::Hold { of, reason } => hold(context, &api, &of.into(), reason).await,
        RetentionCommand::Release { of } => release(context, &api, &of.into()).await,
        RetentionCommand::Holds => holds(context, &api).await,
    }
}

async fn read(api: &ApiClient<'_>) -> Result<RetentionShape, CliError> {
    api.get(&api.path(&["retention"])).await
}

fn print_object(context: &CommandContext, found: RetentionShape) -> Result<CliExitCode, CliError> {
    context.out.write_json_line(&VersionedShape::new("entracte.retention/1", found))?;
    Ok(CliExitCode::Done)
}

async fn show(context: &CommandContext, api: &ApiClient<'_>) -> Result<CliExitCode, CliError> {
    let found = read(api).await?;
    if context.out.json {
        return print_object(context, found);
    }
    let texts = api.texts().await?;
    let row = |subject: RetentionSubject| {
        let limit = found.limits.get(subject.word())?;
        let about = texts.render(&format!("retention-{}", subject.word()), &[]);
        Some(vec![subject.word().to_owned(), one_line(limit), about])
    };
    let rows: Vec<Vec<String>> = RetentionSubject::ALL.into_iter().filter_map(row).collect();
    write_table(
        &context.out,
        &heads(texts, &["retention-subject", "retention-kept", "retention-what"]),
        &rows,
    )?;
    if !found.holds.is_empty() {
        context.out.write_notice(&say!(texts, "retention-has-holds", count = found.holds.len()));
    }
    Ok(CliExitCode::Done)
}

async fn preview(api: &ApiClient<'_>) -> Result<RetentionTotalsShape, CliError> {
    api.get(&api.path(&["retention", "preview"])).await
}

/// Commits of one request, so that its answer comes before anybody takes the server for away.
const COMMITS_AT_ONCE: u32 = 5;

async fn remove(context: &CommandContext, api: &ApiClient<'_>) -> Result<CliExitCode, CliError> {
    let texts = api.texts().await?;
    // A server might read for longer than its answer is waited for.
    let whole = match api.services() {
        Some(_) if context.out.is_watched() => Some(rows(&preview(api).await?)),
        Some(_) | None => None,
    };
    let path = api.path(&["retention", "run"]).with("commits", &COMMITS_AT_ONCE.to_string());
    let mut removed = RetentionTotalsShape { tables: Vec::new(), bytes: 0, more: true };
    api.open_runtime().await?;
    let mut failed = None;
    while removed.more {
        match api.answer(api.keyed(post_empty(&path))).await {
            Ok(answer) => add(&mut removed, api.parse(&answer)?),
            Err(fault) => {
                failed = Some(fault);
                break;
            }
        }
        if context.out.is_watched() {
            context.out.draw_transient_lines(&[progress(texts, &removed, whole)]);
        }
    }
    context.out.draw_transient_lines(&[]);
    api.drain().await?;
    if let Some(fault) = failed {
        return Err(broken_off(context, api, &removed, fault).await?);
    }
    let is_empty = removed.tables.is_empty();
    let code = report(context, api, removed, "retention-went").await?;
    let Some(services) = api.services().filter(|_| !is_empty) else { return Ok(code) };
    let reclaimed = services.store.reclaim_space(ReclaimExtent::Everything).await?.bytes;
    if reclaimed > 0 && !context.out.json {
        context.out.write_notice(&say!(texts, "retention-reclaimed", bytes = reclaimed));
    }
    Ok(code)
}

/// The error of a run that broke off. What went before stays removed, and is told.
async fn broken_off(
    context: &CommandContext,
    api: &ApiClient<'_>,
    removed: &RetentionTotalsShape,
    fault: ApiFault,
) -> Result<CliError, CliError> {
    let (server, went, bytes) = (api.server_name(), rows(removed), removed.bytes);
    let why = match &fault {
        ApiFault::Lost { why, .. } => Some(why.clone()),
        // It was there before.
        ApiFault::Unreachable { why, .. } if went > 0 => Some(why.clone()),
        ApiFault::Refused(problem) if problem.code() == ProblemCode::ShuttingDown => {
            Some(problem.detail().to_string())
        }
        _ => None,
    };
    if let Some(why) = why {
        let text = message!("retention-lost", server = server, why = why, rows = went, bytes = bytes);
        let next = format!("entracte --server {server} --workspace {} retention run", api.workspace());
        return Ok(CliError::with_next(CliExitCode::TryAgain, text, next));
    }
    if went > 0 && !context.out.json {
        let texts = api.texts().await?;
        context.out.write_notice(&say!(texts, "retention-went", rows = went, bytes = bytes));
    }
    Ok(api.error(fault))
}

fn progress(texts: &LocalizedTexts, removed: &RetentionTotalsShape, whole: Option<u64>) -> String {
    let done = rows(removed);
    match whole {
        Some(whole) => {
            let bar = bar(removed, whole);
            say!(texts, "retention-progress", bar = bar, rows = done, whole = whole)
        }
        None => say!(texts, "retention-progress-rows", rows = done),
    }
}

fn rows(totals: &RetentionTotalsShape) -> u64 {
    totals.tables.iter().map(|count| count.rows).sum()
}

/// Adds what a further request removed.
fn add(sum: &mut RetentionTotalsShape, part: RetentionTotalsShape) {
    sum.more = part.more;
    sum.bytes += part.bytes;
    for count in part.tables {
        match sum.tables.iter_mut().find(|known| known.table == count.table) {
            Some(known) => {
                known.rows += count.rows;
                known.bytes += count.bytes;
            }
            None => sum.tables.push(count),
        }
    }
}

/// Cells of a progress bar.
const BAR: u64 = 20;

fn bar(removed: &RetentionTotalsShape, whole: u64) -> String {
    let full = rows(removed).saturating_mul(BAR).checked_div(whole).unwrap_or(BAR).min(BAR);
    (0..BAR).map(|cell| if cell < full { '#' } else { '.' }).collect()
}

async fn report(
    context: &CommandContext,
    api: &ApiClient<'_>,
    totals: RetentionTotalsShape,
    key: &str,
) -> Result<CliExitCode, CliError> {
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.retention_run/1", totals))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    if totals.tables.is_empty() {
        context.out.write_notice(&texts.render("retention-nothing", &[]));
        return Ok(CliExitCode::Done);
    }
    let cells: Vec<Vec<String>> = totals.tables.iter().map(|count| row(texts, count)).collect();
    write_table(
        &context.out,
        &heads(texts, &["retention-table", "retention-rows", "retention-bytes"]),
        &cells,
    )?;
    context.out.write_notice(&say!(texts, key, rows = rows(&totals), bytes = totals.bytes));
    Ok(CliExitCode::Done)
}

fn row(texts: &LocalizedTexts, count: &RetentionCountShape) -> Vec<String> {
    let name = texts.render(&format!("retention-table-{}", count.table), &[]);
    vec![name, count.rows.to_string(), count.bytes.to_string()]
}

async fn hold(
    context: &CommandContext,
    api: &ApiClient<'_>,
    of: &InstructionsScopeArgs,
    reason: String,
) -> Result<CliExitCode, CliError> {
    let held = held(api, of).await?;
    let request = put(&path(api, &held), &NewRetentionHoldShape { reason });
    let answer = api.change::<RetentionHeldShape>(request).await;
    let answer = answer.map_err(|error| error.or_next("entracte retention holds"))?;
    let key = if answer.partial { "retention-held-partial" } else { "retention-held" };
    changed(context, api, key, &held).await
}

async fn release(
    context: &CommandContext,
    api: &ApiClient<'_>,
    of: &InstructionsScopeArgs,
) -> Result<CliExitCode, CliError> {
    let held = held(api, of).await?;
    let released = api.change_only(delete(&path(api, &held))).await;
    released.map_err(|error| error.or_next("entracte retention holds"))?;
    changed(context, api, "retention-released", &held).await
}

async fn changed(
    context: &CommandContext,
    api: &ApiClient<'_>,
    key: &str,
    what: &str,
) -> Result<CliExitCode, CliError> {
    if context.out.json {
        return print_object(context, read(api).await?);
    }
    let texts = api.texts().await?;
    context.out.write_notice(&say!(texts, key, what = what));
    Ok(CliExitCode::Done)
}

async fn holds(context: &CommandContext, api: &ApiClient<'_>) -> Result<CliExitCode, CliError> {
    let found = read(api).await?;
    if context.out.json {
        return print_object(context, found);
    }
    let texts = api.texts().await?;
    if found.holds.is_empty() {
        context.out.write_notice(&texts.render("retention-no-holds", &[]));
        return Ok(CliExitCode::Done);
    }
    let row = |hold: &RetentionHoldShape| {
        let held = match hold.held.as_str() {
            WORKSPACE => word("level", WORKSPACE, texts),
            id => one_line(id),
        };
        let held = if hold.partial { say!(texts, "retention-hold-partial", what = held) } else { held };
        vec![
            held,
            shown_instant(&hold.at, |at| moment(at, &context.zone)),
            one_line(&hold.author),
            one_line(&hold.reason),
        ]
    };
    let rows: Vec<Vec<String>> = found.holds.iter().map(row).collect();
    let names = ["retention-held-what", "retention-since", "retention-author", "retention-reason"];
    write_table(&context.out, &heads(texts, &names), &rows)?;
    Ok(CliExitCode::Done)
}

fn path(api: &ApiClient<'_>, held: &str) -> ApiPath {
    api.path(&["retention", "holds", held])
}

/// What the options name, as the API names it: the workspace unless they name something in it.
async fn held(api: &ApiClient<'_>, of: &InstructionsScopeArgs) -> Result<String, CliError> {
    if let Some(named) = &of.session {
        return api.find(ShortIdKind::Session, named).await;
    }
    match &of.automation {
        Some(named) => api.find(ShortIdKind::Automation, named).await,
        None => Ok(WORKSPACE.to_owned()),
    }
}
