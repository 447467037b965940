//! `session`: shows sessions. Requests that control them are in `session_control`.

use entracte_adapters_http::shapes::agent::AgentShape;
use entracte_adapters_http::shapes::call::{CallShape, CallsShape};
use entracte_application::ports::{SessionFilter, SessionRow, UnreadableSession};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{
    ListSessions, MeasureSession, ReadAgentTree, ReadCalls, SessionSearch, UseCaseError, VerifySession,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::SessionKind;
use serde_json::{Value, json};

use super::run_trigger::run_trigger_text;
use super::{
    prompt, session_control, session_copy, session_deleted, session_follow, session_messages, session_open,
};
use crate::app_services::AppServices;
use crate::args::{KindName, SessionCommand};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::{EntryObject, SessionObject, SessionsObject, SlotSnapshot, VersionedShape, position};
use crate::render::approval::full_card_lines;
use crate::render::listing::{heads, refs, table, write_table};
use crate::render::text::name_of;
use crate::render::time::day;
use crate::render::wrap::fitted;
use crate::render::{session_sheet, standing};
use crate::user_text::{UserText, message};

/// Runs `session …`; `is_named` is whether the command line names the workspace.
pub(crate) async fn run(
    command_context: &CommandContext,
    command: SessionCommand,
    is_named: bool,
) -> Result<CliExitCode, CliError> {
    match command {
        SessionCommand::List { open, limit, waiting, kind, search } => {
            let workspace = Some(command_context.settings.workspace.clone());
            let filter = SessionFilter { workspace, open, limit, waiting };
            list(command_context, &filter, &SessionSearch { kind: kind.map(SessionKind::from), text: search })
                .await
        }
        SessionCommand::Open { session, no_wait } => {
            session_open::run(command_context, &session, no_wait).await
        }
        SessionCommand::Deleted { limit } => session_deleted::run(command_context, limit).await,
        SessionCommand::Show { session } => show(command_context, &session).await,
        SessionCommand::Messages { session, unread, mark_read } => {
            session_messages::conversation(command_context, &session, unread, mark_read).await
        }
        SessionCommand::Copies(command) => session_copy::run(command_context, command).await,
        SessionCommand::Journal { session, after } => journal(command_context, &session, after).await,
        SessionCommand::Follow { session, after, until_rest } => {
            session_follow::run(command_context, &session, after, until_rest).await
        }
        SessionCommand::Calls { session, call } => calls(command_context, &session, call.as_deref()).await,
        SessionCommand::Prompt { call, count: true, .. } => prompt::count(command_context, &call).await,
        SessionCommand::Prompt { call, parts, output, count: false } => {
            prompt::run(command_context, &call, parts, output.as_deref()).await
        }
        SessionCommand::Verify { session, all } => {
            let is_here = is_named || !all;
            verify(
                command_context,
                session.as_deref(),
                is_here.then(|| command_context.settings.workspace.clone()),
            )
            .await
        }
        steering => session_control::run(command_context, steering).await,
    }
}

async fn list(
    command_context: &CommandContext,
    filter: &SessionFilter,
    sought: &SessionSearch,
) -> Result<CliExitCode, CliError> {
    let services = command_context.open_services()?;
    let found = ListSessions::new(services.log.clone()).search(filter, sought).await?;
    let rows = &found.rows;
    let unread = session_messages::counts(command_context, &services, rows).await;
    let queue = services.queued_sessions(&command_context.settings.workspace).await?;
    let rules = command_context.rules(&services, &command_context.settings.workspace).await?;
    if command_context.out.json {
        command_context.out.write_json_line(&SessionsObject::new(&found, &unread, &queue, &rules))?;
        return Ok(CliExitCode::Done);
    }
    let texts = command_context.texts(&services, &command_context.settings.workspace).await?;
    let next: Vec<String> =
        rows.iter().map(|row| standing::next_command(row, &rules, texts, &command_context.zone)).collect();
    // An empty column is left out.
    let is_counted = unread.iter().any(|count| *count > 0);
    let is_woken = next.iter().any(|next| !next.is_empty());
    let row = |((row, unread), next): ((&SessionRow, &usize), &String)| {
        let mut cells = vec![
            row.id.to_string(),
            standing::standing(row, position(&queue, &row.id), texts),
            row.end_reason.map_or_else(|| row.phase.word(), |reason| reason.word()).to_owned(),
            // Before the long columns, because a narrow terminal cuts the end of a line.
            name_of(&row.name, texts),
        ];
        cells.extend(is_woken.then(|| next.clone()));
        cells.extend(is_counted.then(|| if *unread > 0 { unread.to_string() } else { String::new() }));
        cells.push(day(row.last_activity, &command_context.zone));
        cells
    };
    // A session that cannot be read is shown with its stored words.
    let unreadable = |session: &UnreadableSession| {
        let line = &session.line;
        let mut cells = vec![
            line.id.to_string(),
            standing::standing_with_position(line.standing.word(), None, texts),
            line.end_reason.as_ref().map_or_else(|| line.phase.word(), |reason| reason.word()).to_owned(),
            name_of(&line.name, texts),
        ];
        cells.extend(is_woken.then(String::new));
        cells.extend(is_counted.then(String::new));
        cells.push(day(line.last_activity, &command_context.zone));
        cells
    };
    let rows = rows.iter().zip(&unread).zip(&next).map(row);
    let rows: Vec<Vec<String>> = rows.chain(found.unreadable.iter().map(unreadable)).collect();
    let mut head = vec!["session", "standing", "phase", "name"];
    head.extend(is_woken.then_some("next"));
    head.extend(is_counted.then_some("unread"));
    head.push("activity");
    write_table(&command_context.out, &heads(texts, &head), &rows)?;
    if rows.is_empty() {
        let is_any = *filter
            == SessionFilter { workspace: filter.workspace.clone(), ..SessionFilter::default() }
            && *sought == SessionSearch::default();
        let workspace = command_context.settings.workspace.as_str();
        command_context.out.write_notice(&match is_any {
            true => say!(texts, "session-none", workspace = workspace),
            false => say!(texts, "session-none-such", workspace = workspace),
        });
    }
    Ok(CliExitCode::Done)
}

impl From<KindName> for SessionKind {
    fn from(name: KindName) -> Self {
        match name {
            KindName::Chat => SessionKind::Chat,
            KindName::Seed => SessionKind::Seed,
            KindName::Automation => SessionKind::Automation,
            KindName::Agent => SessionKind::Agent,
        }
    }
}

async fn show(command_context: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let services = command_context.open_services()?;
    let (session, workspace) = services.session(&command_context.settings.workspace, named).await?;
    let place = services.slot_place(&workspace, &session).await?;
    let now = services.clock.now();
    let follow = services.follow();
    let turn =
        follow.view(&workspace, &session, follow.last_entry_number(&workspace, &session).await?).await?;
    let metrics = MeasureSession::new(services.store.clone(), services.log.clone());
    let metrics = metrics.run(&workspace, &session).await?;
    let rules = command_context.rules(&services, &workspace).await?;
    let full = command_context.prompt_fullness(&services, &workspace, &session).await?;
    let tasks = services.session_tasks(&workspace, &session).await?;
    let measurements = session_sheet::SessionMeasurements { metrics: &metrics, context: &full };
    let waiting = turn.waiting.as_ref();
    if command_context.out.json {
        let began = run_trigger_text(&services, &turn.session).await?;
        let slot = SlotSnapshot { place: place.as_ref(), now };
        let view = &turn.session;
        command_context.out.write_json_line(&SessionObject::new(
            view,
            began.as_ref(),
            waiting,
            slot,
            measurements,
            &rules,
            &tasks,
        ))?;
    } else {
        let texts = command_context.texts(&services, &workspace).await?;
        let terms = CommandContext::describe_policies(&rules, &turn.session.facts, texts);
        let open_by: Vec<&str> =
            turn.session.facts.active_attachments(now).map(|attachment| attachment.author.as_str()).collect();
        let slot = session_sheet::SessionSheetContext {
            place: place.as_ref(),
            open_by: &open_by,
            woken: turn.session.next_wake(&rules),
            tasks: &tasks,
        };
        for line in session_sheet::session(
            &turn.session,
            waiting,
            measurements,
            &slot,
            &terms,
            texts,
            &command_context.zone,
        ) {
            let width = command_context.out.style.width.map(|width| width.saturating_sub(1));
            command_context.out.write_data_line(&width.map_or(line.clone(), |width| fitted(&line, width)))?;
        }
        let nodes = ReadAgentTree::new(services.store.clone(), services.log.clone());
        let nodes = nodes.run(&workspace, &session).await?;
        let agents: Vec<AgentShape> = nodes.iter().map(AgentShape::from).collect();
        for line in crate::render::agent::tree(&agents, texts) {
            command_context.out.write_data_line(&line)?;
        }
    }
    Ok(CliExitCode::Done)
}

async fn journal(command_context: &CommandContext, named: &str, after: u64) -> Result<CliExitCode, CliError> {
    let services = command_context.open_services()?;
    let (session, workspace) = services.session(&command_context.settings.workspace, named).await?;
    let lines = command_context
        .entry_renderer(command_context.out.style, command_context.texts(&services, &workspace).await?);
    for entry in services.read_log().entries(&workspace, &session, after).await? {
        if command_context.out.json {
            let object = EntryObject::new(&entry)
                .map_err(|fault| CliError::new(CliExitCode::Failure, fault.to_string()))?;
            command_context.out.write_json_line(&object)?;
        } else {
            command_context.out.write_data_line(&lines.draw(&entry))?;
        }
    }
    Ok(CliExitCode::Done)
}

async fn calls(
    command_context: &CommandContext,
    named: &str,
    only: Option<&str>,
) -> Result<CliExitCode, CliError> {
    let services = command_context.open_services()?;
    let (session, workspace) = services.session(&command_context.settings.workspace, named).await?;
    let calls = ReadCalls::new(services.store.clone(), services.log.clone());
    let mut calls = calls.run(&workspace, &session).await?;
    if let Some(only) = only {
        let (of, call) = services.named_call(&workspace, only).await?;
        calls.retain(|view| view.call.id == call);
        if calls.is_empty() {
            let text = message!(
                "call-other-session",
                call = call.as_str(),
                session = of.as_str(),
                first = session.as_str()
            );
            let next = format!("entracte session calls {of} {call}");
            return Err(CliError::with_next(CliExitCode::NotFound, text, next));
        }
    }
    if command_context.out.json {
        command_context.out.write_json_line(&VersionedShape::new(
            "entracte.calls/1",
            CallsShape { session: session.to_string(), calls: calls.iter().map(CallShape::from).collect() },
        ))?;
        return Ok(CliExitCode::Done);
    }
    let texts = command_context.texts(&services, &workspace).await?;
    if only.is_some() {
        // Without a readable session there are no cards, but its calls are shown all the same.
        let cards = services.approvals().run(&workspace, &session).await.unwrap_or_default();
        for view in &calls {
            let card = cards.iter().find(|card| card.call.id == view.call.id);
            let card = card
                .map(|card| [vec![String::new()], full_card_lines(&card.into(), texts)].concat())
                .unwrap_or_default();
            for line in session_sheet::whole_call(view, texts, &command_context.zone).into_iter().chain(card)
            {
                command_context.out.write_data_line(&line)?;
            }
        }
        return Ok(CliExitCode::Done);
    }
    let rows: Vec<Vec<String>> = calls.iter().map(|view| session_sheet::call(view, texts)).collect();
    let head = ["call", "state", "tries", "took", "decided", "command", "parameters", "answer"];
    for line in table(&refs(&heads(texts, &head)), &rows, command_context.out.style) {
        command_context.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

/// Prints a line for each session that differs from its journal or cannot be read, and returns exit code 1 then. A
/// named session is also reported if it is well. Without a name it checks those of this workspace, or of all.
async fn verify(
    command_context: &CommandContext,
    named: Option<&str>,
    of: Option<WorkspaceKey>,
) -> Result<CliExitCode, CliError> {
    let services = command_context.open_services()?;
    let sessions = match named {
        Some(named) => vec![services.session(&command_context.settings.workspace, named).await?],
        None => {
            let filter = SessionFilter { workspace: of, ..SessionFilter::default() };
            let all =
                ListSessions::new(services.log.clone()).lines(&filter, &SessionSearch::default()).await?;
            all.into_iter().map(|row| (row.id, row.workspace)).collect()
        }
    };
    let (mut ill, mut objects) = (0_usize, Vec::new());
    for (session, workspace) in &sessions {
        // A session deleted since the listing needs no verdict.
        let Some((verdict, says)) = verdict(&services, workspace, session).await else {
            continue;
        };
        ill += usize::from(verdict != WELL);
        if command_context.out.json {
            objects.push(verdict_object(session, verdict, &says));
        } else if named.is_some() || verdict != WELL {
            let texts = command_context.texts(&services, &command_context.settings.workspace).await?;
            command_context.out.write_data_line(&verdict_line(session, verdict, &says, texts))?;
        }
    }
    if command_context.out.json {
        command_context
            .out
            .write_json_line(&json!({ "schema": "entracte.verify/1", "sessions": Value::Array(objects) }))?;
    } else if named.is_none() {
        let texts = command_context.texts(&services, &command_context.settings.workspace).await?;
        command_context.out.write_notice(&match ill {
            0 => say!(texts, "verify-well", count = sessions.len()),
            _ => say!(texts, "verify-ill", count = sessions.len(), ill = ill),
        });
    }
    Ok(if ill == 0 { CliExitCode::Done } else { CliExitCode::Failure })
}

/// The verdict on a session whose replayed journal equals its stored state.
pub(crate) const WELL: &str = "ok";

pub(crate) fn verdict_object(session: &SessionId, verdict: &str, says: &UserText) -> Value {
    json!({ "session": session.as_str(), "verdict": verdict, "says": says.to_string() })
}

pub(crate) fn verdict_line(
    session: &SessionId,
    verdict: &str,
    says: &UserText,
    texts: &LocalizedTexts,
) -> String {
    let word = texts.render(&format!("verify-{}", verdict.to_lowercase()), &[]);
    let line = format!("{word:<8}  {session}  {}", says.localize(texts));
    crate::render::text::block(&line).trim_end().to_owned()
}

/// A damaged session must not hide the others. `None` if it was deleted.
pub(crate) async fn verdict(
    services: &AppServices,
    workspace: &WorkspaceKey,
    session: &SessionId,
) -> Option<(&'static str, UserText)> {
    let verify = VerifySession::new(services.store.clone(), services.log.clone());
    match verify.run(workspace, session).await {
        Ok(None) => Some((WELL, UserText::from(""))),
        Ok(Some(mismatch)) => {
            let (stored, replayed) = (mismatch.stored.to_string(), mismatch.replayed.to_string());
            Some(("MISMATCH", message!("verify-differs", stored = stored, replayed = replayed)))
        }
        Err(UseCaseError::NotFound(_)) => None,
        Err(error) => Some(("DAMAGED", crate::error::chain(&error).into())),
    }
}
