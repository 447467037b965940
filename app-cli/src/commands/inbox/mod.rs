//! `inbox`: the items that wait for a person, with the commands that answer them; `inbox seen`: marks failed runs as
//! seen.

use std::sync::Arc;

use entracte_application::ports::ExternalServerTools;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{
    AcknowledgeTask, DisabledItem, DisabledItemKind, InboxItem, InboxKind, MarkSeen, ReadTasks, UseCaseError,
};
use entracte_domain::command::CommandKind;
use entracte_domain::id::{SessionId, TaskId, WorkspaceKey};
use entracte_domain::session::{EndReason, UnseenEndReason};
use entracte_domain::task::{Task, TaskNotice};

mod walkthrough;

use crate::app_services::AppServices;
use crate::args::InboxCommand;
use crate::colour::paint;
use crate::command_context::CommandContext;
use crate::commands::mcp_tools::external_servers;
use crate::error::{CliError, CliExitCode};
use crate::follow::drain_before_exit;
use crate::json::{InboxObject, SeenItemsObject};
use crate::render::approval::{card, question};
use crate::render::chain::line;
use crate::render::rule::width;
use crate::render::stored_words;
use crate::render::task::state;
use crate::render::text::{block, name_of, one_line};
use crate::render::wrap::fitted;
use crate::runtime_access::RuntimeAccess;

/// Runs `inbox`.
pub(crate) async fn run(
    context: &CommandContext,
    command: Option<InboxCommand>,
    all_at_once: bool,
) -> Result<CliExitCode, CliError> {
    match command {
        None => list(context, all_at_once).await,
        Some(InboxCommand::Seen { items, all: false }) => named(context, &items).await,
        Some(InboxCommand::Seen { all: true, .. }) => mark_all_seen(context).await,
    }
}

/// The runs and tasks to mark as seen, in their current state.
#[derive(Default)]
struct SeenSelection {
    sessions: Vec<SessionId>,
    tasks: Vec<TaskId>,
}

/// Marks the runs and tasks with these names, or none if one of them is not found.
async fn named(context: &CommandContext, items: &[String]) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let mut marked = SeenSelection::default();
    for named in items {
        if named.starts_with("tsk_") {
            let (task, _) = ReadTasks::new(services.tasks.clone()).one(workspace, named).await?;
            marked.tasks.push(task.id);
        } else {
            marked.sessions.push(services.named_session(workspace, named).await?);
        }
    }
    mark(context, services, marked).await
}

/// Shows all failed runs and unread task ends, and marks those shown; later ones remain.
async fn mark_all_seen(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let mut items = services.inbox().run(&context.settings.workspace).await?;
    items.retain(|item| match &item.kind {
        InboxKind::Ended { .. } => true,
        // A question is answered, not seen.
        InboxKind::Task { why, .. } => *why != TaskNotice::Asks,
        _ => false,
    });
    let texts = context.texts(&services, &context.settings.workspace).await?;
    if !context.out.json {
        for item in &items {
            context.out.write_data_line(&draw(context, item, texts))?;
        }
    }
    let mut marked = SeenSelection::default();
    for item in items {
        match item.kind {
            InboxKind::Task { task, .. } => marked.tasks.push(task.id),
            _ => marked.sessions.push(item.session),
        }
    }
    mark(context, services, marked).await
}

async fn mark(
    context: &CommandContext,
    services: Arc<AppServices>,
    marked: SeenSelection,
) -> Result<CliExitCode, CliError> {
    let workspace = context.settings.workspace.clone();
    let texts = context.texts(&services, &workspace).await?;
    let SeenSelection { sessions, tasks } = &marked;
    if !sessions.is_empty() || !tasks.is_empty() {
        let runtime = RuntimeAccess::open(services.clone()).await?;
        let done = mark_each(&runtime, &workspace, &context.settings.author, &marked).await;
        // A refusal ends the command, but must not interrupt the work that this process took up as the owner.
        drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
        done?;
    }
    let sessions = sessions.iter().map(ToString::to_string);
    let items: Vec<String> = sessions.chain(tasks.iter().map(ToString::to_string)).collect();
    if context.out.json {
        context.out.write_json_line(&SeenItemsObject::new(items))?;
        return Ok(CliExitCode::Done);
    }
    for item in &items {
        context.out.write_notice(&say!(texts, "inbox-seen", item = item));
    }
    if items.is_empty() {
        context.out.write_notice(&say!(texts, "inbox-seen-none", workspace = workspace.as_str()));
    }
    Ok(CliExitCode::Done)
}

async fn mark_each(
    runtime: &Arc<RuntimeAccess>,
    workspace: &WorkspaceKey,
    author: &str,
    marked: &SeenSelection,
) -> Result<(), UseCaseError> {
    let task_seen = AcknowledgeTask::new(runtime.clone());
    for task in &marked.tasks {
        task_seen.run(workspace, task, author.to_owned()).await?;
    }
    let seen = MarkSeen::new(runtime.clone());
    for session in &marked.sessions {
        seen.run(workspace, session, author.to_owned()).await?;
    }
    Ok(())
}

async fn list(context: &CommandContext, all_at_once: bool) -> Result<CliExitCode, CliError> {
    if !all_at_once && is_interactive(context) {
        return walkthrough::run(context).await;
    }
    let services = context.open_services()?;
    let items = services.inbox().run(&context.settings.workspace).await?;
    let off = switched_off(context, &services).await?;
    let texts = context.texts(&services, &context.settings.workspace).await?;
    let servers = undecided_servers(&services, texts)?;
    if context.out.json {
        context.out.write_json_line(&InboxObject::new(&items, &off, &servers))?;
        return Ok(CliExitCode::Done);
    }
    for server in &servers {
        context.out.write_data_line(&undecided_server_text(context, server, &items, texts))?;
    }
    for item in items.iter().filter(|item| !is_folded(item, &servers)) {
        context.out.write_data_line(&draw(context, item, texts))?;
    }
    for one in &off {
        context.out.write_data_line(&switched_off_text(context, one, texts))?;
    }
    if items.is_empty() && off.is_empty() && servers.is_empty() {
        context.out.write_notice(&say!(texts, "inbox-none", workspace = context.settings.workspace.as_str()));
    }
    Ok(CliExitCode::Done)
}

/// The disabled targets and secrets, as the inbox lists them.
async fn switched_off(
    context: &CommandContext,
    services: &AppServices,
) -> Result<Vec<DisabledItem>, CliError> {
    Ok(crate::notifier::read_switched_off(context, services).run(&context.settings.workspace).await?)
}

/// The MCP servers about whose tools nobody has decided.
fn undecided_servers(
    services: &AppServices,
    texts: &LocalizedTexts,
) -> Result<Vec<ExternalServerTools>, CliError> {
    let mut servers = external_servers(&services.mcp, services.clock.now(), texts)?;
    servers.retain(ExternalServerTools::is_undecided);
    Ok(servers)
}

/// Whether an item is listed below the server whose tools a person has to decide about.
fn is_folded(item: &InboxItem, servers: &[ExternalServerTools]) -> bool {
    servers.iter().any(|server| item.is_query_of(server))
}

/// A server about whose tools nobody has decided, with the commands that decide and the queries that wait for it.
fn undecided_server_text(
    context: &CommandContext,
    server: &ExternalServerTools,
    items: &[InboxItem],
    texts: &LocalizedTexts,
) -> String {
    let count =
        |kind: CommandKind| server.tools.iter().filter(|tool| tool.is_undecided && tool.kind == kind).count();
    let (name, queries, actions) =
        (one_line(&server.server), count(CommandKind::Query), count(CommandKind::Action));
    let head = paint(&say!(texts, "inbox-tools", server = &name), "33;1", context.out.style.colour);
    let says = say!(texts, "inbox-tools-says", queries = queries, actions = actions);
    let waiting: Vec<&InboxItem> = items.iter().filter(|item| item.is_query_of(server)).collect();
    let approve = if waiting.is_empty() { "" } else { " --approve-waiting" };
    let mut drawn = format!(
        "{head} {}\n  entracte mcp tools {name}\n  entracte mcp trust {name}{approve}\n  entracte mcp keep {name}\n  \
         entracte mcp ask {name}\n",
        one_line(&says).trim()
    );
    if !waiting.is_empty() {
        drawn.push_str(&format!("  {}\n", say!(texts, "inbox-tools-waiting", count = waiting.len())));
    }
    for item in waiting {
        if let Some(approval) = item.approval() {
            let (id, says) = (&approval.id, one_line(&approval.description.says));
            drawn.push_str(&format!("    {id} {} — {says}\n", name_of(&item.name, texts)));
        }
    }
    context.out.style.width.map_or(drawn.clone(), |width| fitted(&drawn, width.saturating_sub(1)))
}

/// A disabled item, with its fix.
fn switched_off_text(context: &CommandContext, off: &DisabledItem, texts: &LocalizedTexts) -> String {
    let (name, person) = (one_line(&off.name), one_line(&off.person));
    let (head, end) = match off.kind {
        DisabledItemKind::Target => (
            say!(texts, "inbox-off-target", name = &name, person = person),
            format!("entracte notify remove {name}"),
        ),
        DisabledItemKind::Secret => (
            say!(texts, "inbox-off-secret", name = &name, person = person),
            format!("entracte secret set {name}"),
        ),
    };
    let head = paint(&head, "31;1", context.out.style.colour);
    let drawn = format!("{head} {}\n  {end}\n", one_line(&off.why.render(texts)));
    context.out.style.width.map_or(drawn.clone(), |width| fitted(&drawn, width.saturating_sub(1)))
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

/// An item with the commands that answer it, wrapped at the terminal's width.
fn draw(context: &CommandContext, item: &InboxItem, texts: &LocalizedTexts) -> String {
    let drawn = draw_wide(context, item, texts);
    context.out.style.width.map_or(drawn.clone(), |width| fitted(&drawn, width.saturating_sub(1)))
}

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
            say!(texts, "inbox-task-undelivered-says", command = command, state = state(task, texts)),
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
