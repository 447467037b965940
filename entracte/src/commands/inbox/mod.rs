//! `inbox`: the items that wait for a person, with the commands that answer them; `inbox seen`: marks failed runs as
//! seen; `inbox snooze`, `unsnooze` and `assign`: notes about items.

mod triage;
mod walkthrough;

use entracte_adapters_http::api_transport::ApiRequest;
use entracte_adapters_http::shapes::card::{InboxShape, folded_approvals};
use entracte_application::texts::{LocalizedTexts, say};
use http::Method;
use serde::Serialize;

use crate::api_client::{ApiClient, ShortIdKind};
use crate::args::{InboxCommand, InboxListArgs};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::{SeenItemsObject, VersionedShape};
use crate::output::OutputStyle;
use crate::render::inbox::InboxRenderer;
use crate::render::listing::{CutList, ListLimit};
use crate::render::wrap::fitted_to_terminal;

/// Runs `inbox`.
pub(crate) async fn run(
    context: &CommandContext,
    command: Option<InboxCommand>,
    which: InboxListArgs,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let is_walk = !which.list && which.limit.is_none() && !which.snoozed && which.assigned.is_none();
    match command {
        None if is_walk && is_interactive(context) => walkthrough::run(context, &api).await,
        None => list(context, &api, &which).await,
        Some(InboxCommand::Snooze { items, until }) => triage::snooze(context, &api, &items, until).await,
        Some(InboxCommand::Unsnooze { items }) => triage::wake(context, &api, &items).await,
        Some(InboxCommand::Assign { items, to, nobody: _ }) => {
            triage::assign(context, &api, &items, to).await
        }
        Some(InboxCommand::Seen { items, all: false }) => mark_named(context, &api, &items).await,
        Some(InboxCommand::Seen { all: true, .. }) => mark_all_seen(context, &api).await,
    }
}

/// What waits in the workspace, without what the person snoozes.
async fn read_items(api: &ApiClient<'_>) -> Result<Vec<InboxShape>, CliError> {
    api.list(&api.path(&["inbox"])).await
}

/// What the person snoozes.
async fn read_snoozed_items(api: &ApiClient<'_>) -> Result<Vec<InboxShape>, CliError> {
    api.list(&api.path(&["inbox"]).with("snoozed", "true")).await
}

/// A run or task that is marked as seen.
struct SeenItem {
    id: String,
    /// The list of the API that it is in.
    list: &'static str,
}

/// Marks the runs and tasks with these names, or none if one of them is not found.
async fn mark_named(
    context: &CommandContext,
    api: &ApiClient<'_>,
    items: &[String],
) -> Result<CliExitCode, CliError> {
    let mut marked = Vec::new();
    for named in items {
        let (kind, list) = match named.starts_with("tsk_") {
            true => (ShortIdKind::Task, "tasks"),
            false => (ShortIdKind::Session, "sessions"),
        };
        marked.push(SeenItem { id: api.find(kind, named).await?, list });
    }
    mark(context, api, &marked).await
}

/// Shows all failed runs and unread task ends, and marks those shown; later ones remain.
async fn mark_all_seen(context: &CommandContext, api: &ApiClient<'_>) -> Result<CliExitCode, CliError> {
    let items = read_items(api).await?;
    let texts = api.texts().await?;
    let mut marked = Vec::new();
    for item in &items {
        let seen = match item {
            InboxShape::Ended { place, .. } | InboxShape::Failed { place, .. } => {
                SeenItem { id: place.session.clone(), list: "sessions" }
            }
            // A question is answered, not seen.
            InboxShape::Task { why, task, .. } if why != "asks" => {
                SeenItem { id: task.clone(), list: "tasks" }
            }
            _ => continue,
        };
        if !context.out.json {
            context.out.write_data_line(&draw(context, item, &items, texts))?;
        }
        // One mark counts for all of a session.
        if marked.iter().all(|known: &SeenItem| known.id != seen.id) {
            marked.push(seen);
        }
    }
    mark(context, api, &marked).await
}

async fn mark(
    context: &CommandContext,
    api: &ApiClient<'_>,
    marked: &[SeenItem],
) -> Result<CliExitCode, CliError> {
    let texts = api.texts().await?;
    let done = mark_each(api, marked).await;
    // A refusal ends the command, but must not interrupt the work that this process took up as the owner.
    api.drain().await?;
    done?;
    let items: Vec<String> = marked.iter().map(|item| item.id.clone()).collect();
    if context.out.json {
        context.out.write_json_line(&SeenItemsObject::new(items))?;
        return Ok(CliExitCode::Done);
    }
    for item in &items {
        context.out.write_notice(&say!(texts, "inbox-seen", item = item));
    }
    if items.is_empty() {
        context.out.write_notice(&say!(texts, "inbox-seen-none", workspace = api.workspace().as_str()));
    }
    Ok(CliExitCode::Done)
}

async fn mark_each(api: &ApiClient<'_>, marked: &[SeenItem]) -> Result<(), CliError> {
    for SeenItem { id, list } in marked {
        mark_one(api, list, id).await?;
    }
    Ok(())
}

/// Marks a run or a task as seen.
async fn mark_one(api: &ApiClient<'_>, list: &str, id: &str) -> Result<(), CliError> {
    let path = api.path(&[list, id, "seen"]);
    api.send_only(ApiRequest::new(Method::PUT, path.target())).await
}

/// What `inbox --json` prints.
#[derive(Serialize)]
struct InboxObject {
    items: Vec<InboxShape>,
}

/// How many items a person at a terminal gets at once, each of some ten rows.
const ITEMS_ON_TERMINAL: usize = 10;

async fn list(
    context: &CommandContext,
    api: &ApiClient<'_>,
    which: &InboxListArgs,
) -> Result<CliExitCode, CliError> {
    let limit = ListLimit { asked: which.limit, on_terminal: ITEMS_ON_TERMINAL };
    let path = api.path(&["inbox"]).with_some("snoozed", which.snoozed.then_some("true"));
    let mut items: Vec<InboxShape> = api.list(&path.with_some("assigned", which.assigned.as_deref())).await?;
    let most = limit.rows(context.environment.stdout_terminal && !context.out.json);
    if context.out.json {
        items.truncate(most);
        context.out.write_json_line(&VersionedShape::new("entracte.inbox/2", InboxObject { items }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    let folded = folded_approvals(&items);
    let shown: Vec<&InboxShape> = items.iter().filter(|item| !folded.contains(item.id())).collect();
    for item in shown.iter().take(most) {
        context.out.write_data_line(&draw(context, item, &items, texts))?;
    }
    CutList { most, all: shown.len() }.write_left_out(&context.out, texts);
    if items.is_empty() {
        context.out.write_notice(&say!(texts, "inbox-none", workspace = api.workspace().as_str()));
    }
    Ok(CliExitCode::Done)
}

/// Whether a person can press keys.
fn is_interactive(context: &CommandContext) -> bool {
    let around = &context.environment;
    around.stdin_terminal
        && around.stdout_terminal
        && around.stderr_terminal
        && !context.out.json
        && !context.out.quiet
}

fn renderer<'a>(
    context: &'a CommandContext,
    style: OutputStyle,
    texts: &'a LocalizedTexts,
) -> InboxRenderer<'a> {
    let always_expires = context.settings.runtime.always_expires;
    InboxRenderer { texts, colour: style.colour, dial: (&context.zone).into(), always_expires }
}

/// An item with the commands that answer it, wrapped at the terminal's width.
fn draw(context: &CommandContext, item: &InboxShape, all: &[InboxShape], texts: &LocalizedTexts) -> String {
    let drawn = renderer(context, context.out.style, texts).draw(item, all);
    fitted_to_terminal(&drawn, context.out.style.width)
}
