//! `inbox`: the items that wait for a person, with the commands that answer them; `inbox seen`: marks failed runs as
//! seen.

mod walkthrough;

use entracte_adapters_http::client::ApiRequest;
use entracte_adapters_http::shapes::card::InboxShape;
use entracte_application::texts::{LocalizedTexts, say};
use http::Method;
use serde::Serialize;

use crate::api_client::{ApiClient, IdKind};
use crate::args::InboxCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::{SeenItemsObject, VersionedShape};
use crate::output::OutputStyle;
use crate::render::inbox::{InboxRenderer, folded_approvals};
use crate::render::wrap::fitted;

/// Runs `inbox`.
pub(crate) async fn run(
    context: &CommandContext,
    command: Option<InboxCommand>,
    all_at_once: bool,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    match command {
        None if !all_at_once && is_interactive(context) => walkthrough::run(context, &api).await,
        None => list(context, &api).await,
        Some(InboxCommand::Seen { items, all: false }) => mark_named(context, &api, &items).await,
        Some(InboxCommand::Seen { all: true, .. }) => mark_all_seen(context, &api).await,
    }
}

/// Everything that waits in the workspace.
async fn read_items(api: &ApiClient<'_>) -> Result<Vec<InboxShape>, CliError> {
    api.list(&api.path(&["inbox"])).await
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
            true => (IdKind::Task, "tasks"),
            false => (IdKind::Session, "sessions"),
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
            InboxShape::Ended { place, .. } => SeenItem { id: place.session.clone(), list: "sessions" },
            // A question is answered, not seen.
            InboxShape::Task { why, task, .. } if why != "asks" => {
                SeenItem { id: task.clone(), list: "tasks" }
            }
            _ => continue,
        };
        if !context.out.json {
            context.out.write_data_line(&draw(context, item, &items, texts))?;
        }
        marked.push(seen);
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

async fn list(context: &CommandContext, api: &ApiClient<'_>) -> Result<CliExitCode, CliError> {
    let items = read_items(api).await?;
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.inbox/2", InboxObject { items }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    let folded = folded_approvals(&items);
    for item in items.iter().filter(|item| !folded.contains(item.id())) {
        context.out.write_data_line(&draw(context, item, &items, texts))?;
    }
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
    context.out.style.width.map_or(drawn.clone(), |width| fitted(&drawn, width.saturating_sub(1)))
}
<<<<<<< HEAD
=======

fn draw_wide(context: &CommandContext, item: &InboxItem, texts: &LocalizedTexts) -> String {
    let colour = context.out.style.colour;
    let session = &item.session;
    let head = paint(&head_of(session, &item.name, texts), "2", colour);
    let body = match &item.kind {
        InboxKind::Approval(approval) => {
            let id = &approval.id;
            let always = width(approval, false, false, context.settings.runtime.always_expires)
                .map(|width| format!("\n  entracte approve {id} --always\n    {}", width.trim_start()));
            format!(
                "{}\n  entracte approve {id}\n  entracte reject {id} --reason {text}{always}",
                card(approval, colour, &context.zone).text,
                text = say!(texts, "placeholder-text"),
                always = always.unwrap_or_default()
            )
        }
        InboxKind::Question(asked) => {
            let text = say!(texts, "placeholder-text");
            format!(
                "{}{}\n  entracte answer {session} {text}",
                agent_chain_line(item, texts),
                question(asked, colour, texts)
            )
        }
        InboxKind::Unsettled(row) => format!(
            "{} {}\n  entracte settle {id} happened\n  entracte settle {id} did-not-happen\n  entracte settle {id} again",
            paint(&say!(texts, "inbox-unknown"), "31;1", colour),
            say!(texts, "inbox-unknown-settle", command = one_line(&row.command)),
            id = row.id
        ),
        InboxKind::Parked(why) => format!(
            "{} {}\n  entracte session resume {session}",
            paint(&stored_words::word("standing", "parked", texts), "33;1", colour),
            one_line(&stored_words::parked_reason(why, texts))
        ),
        InboxKind::Ended { why, reason, expired } => format!(
            "{} {}\n  entracte session messages {session}\n  entracte inbox seen {session}",
            paint(&ended(*why, texts), "31;1", colour),
            how(*reason, expired, texts)
        ),
        InboxKind::Task { task, why: TaskNotice::Asks } => format!(
            "{}\n  entracte task answer {id} {}\n  entracte task show {id}",
            task_notice_text(task, TaskNotice::Asks, colour, texts),
            say!(texts, "inbox-task-answer"),
            id = task.id
        ),
        InboxKind::Task { task, why } => format!(
            "{}\n  entracte task show {id}\n  entracte inbox seen {id}",
            task_notice_text(task, *why, colour, texts),
            id = task.id
        ),
        InboxKind::Ungranted { automation } => format!(
            "{}\n  entracte automation edit {automation} --unattended allow\n  entracte automation edit {automation} --unattended park",
            ungranted(colour, texts)
        ),
    };
    format!("{head}\n{body}\n")
}

/// The session of an item, with its name.
fn head_of(session: &SessionId, name: &str, texts: &LocalizedTexts) -> String {
    say!(texts, "inbox-session", session = session.as_str(), name = name_of(name, texts))
}

/// An item without the commands that answer it, because its keys are shown below.
fn content(context: &CommandContext, item: &InboxItem, texts: &LocalizedTexts) -> String {
    let colour = context.out.message_style.colour;
    let head = paint(&head_of(&item.session, &item.name, texts), "2", colour);
    let body = match &item.kind {
        InboxKind::Approval(approval) => card(approval, colour, &context.zone).text,
        InboxKind::Question(asked) => {
            format!("{}{}", agent_chain_line(item, texts), question(asked, colour, texts))
        }
        InboxKind::Unsettled(row) => format!(
            "{} {}",
            paint(&say!(texts, "inbox-unknown"), "31;1", colour),
            say!(texts, "inbox-unknown-settle", command = one_line(&row.command))
        ),
        InboxKind::Parked(why) => format!(
            "{} {}",
            paint(&stored_words::word("standing", "parked", texts), "33;1", colour),
            one_line(&stored_words::parked_reason(why, texts))
        ),
        InboxKind::Ended { why, reason, expired } => {
            format!("{} {}", paint(&ended(*why, texts), "31;1", colour), how(*reason, expired, texts))
        }
        InboxKind::Task { task, why } => task_notice_text(task, *why, colour, texts),
        InboxKind::Ungranted { .. } => ungranted(colour, texts),
    };
    format!("{head}\n{body}")
}

/// The chain to the asking agent on its own line; empty if no agent asks.
fn agent_chain_line(item: &InboxItem, texts: &LocalizedTexts) -> String {
    let people: Vec<String> = item.requester.iter().cloned().collect();
    line(&people, &item.chain, texts).map(|chain| format!("  {chain}\n")).unwrap_or_default()
}

/// An automation with policy `allow` that no person has granted.
fn ungranted(colour: bool, texts: &LocalizedTexts) -> String {
    format!(
        "{} {}",
        paint(&say!(texts, "inbox-ungranted"), "33;1", colour),
        say!(texts, "inbox-ungranted-says")
    )
}

/// The unread news of a task.
fn task_notice_text(task: &Task, why: TaskNotice, colour: bool, texts: &LocalizedTexts) -> String {
    let command = one_line(&task.command);
    let (head, says) = match why {
        TaskNotice::Asks => {
            let question = block(task.question.as_deref().unwrap_or_default());
            let says = say!(texts, "inbox-task-asks-says", command = command);
            return format!("{} {says}\n{question}", paint(&say!(texts, "inbox-task-asks"), "33;1", colour));
        }
        TaskNotice::Contradicted => (
            say!(texts, "inbox-task-contradicted"),
            say!(texts, "inbox-task-contradicted-says", command = command, count = task.contradicted),
        ),
        TaskNotice::Undelivered => (
            say!(texts, "inbox-task-undelivered"),
            say!(texts, "inbox-task-undelivered-says", command = command, state = state(&task.into(), texts)),
        ),
    };
    format!("{} {says}", paint(&head, "31;1", colour))
}

fn ended(why: UnseenEndReason, texts: &LocalizedTexts) -> String {
    match why {
        UnseenEndReason::Failed => say!(texts, "inbox-ended-failed"),
        UnseenEndReason::Limited => say!(texts, "inbox-ended-limited"),
        UnseenEndReason::Expired => say!(texts, "inbox-ended-expired"),
    }
}

/// How a run ended, and its actions whose approvals expired.
fn how(reason: EndReason, expired: &[String], texts: &LocalizedTexts) -> String {
    if expired.is_empty() {
        return say!(texts, "inbox-ended-how", reason = reason.word());
    }
    say!(texts, "inbox-ended-calls", calls = one_line(&expired.join(", ")))
}
>>>>>>> d782827d (task: go through the API)
