//! `session`: shows sessions. Requests that control them are in `session_control`.

use entracte_adapters_http::shapes::agent::AgentsShape;
use entracte_adapters_http::shapes::call::{CallShape, CallsShape};
use entracte_adapters_http::shapes::card::CardShape;
use entracte_adapters_http::shapes::session::SessionItem;
use entracte_application::texts::say;
use serde::Serialize;

use super::{
    prompt, session_control, session_copy, session_deleted, session_follow, session_messages, session_open,
    session_verify,
};
use crate::api_client::{ApiClient, ShortIdKind, read_journal, read_session_details};
use crate::args::{KindName, SessionCommand};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::{ENTRY_SCHEMA, SESSION_SCHEMA, VersionedShape};
use crate::render::approval::full_card_lines;
use crate::render::listing::{heads, refs, table, write_table};
use crate::render::text::name_of;
use crate::render::time::{day, shown_instant};
use crate::render::wrap::fitted_to_terminal;
use crate::render::{session_sheet, standing};
use crate::user_text::message;

/// Runs `session …`; `is_named` is whether the command line names the workspace.
pub(crate) async fn run(
    command_context: &CommandContext,
    command: SessionCommand,
    is_named: bool,
) -> Result<CliExitCode, CliError> {
    match command {
        SessionCommand::List { open, limit, waiting, kind, search } => {
            list(command_context, &ListedSessions { open, limit, waiting, kind, search }).await
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
        SessionCommand::Verify { session: Some(session), .. } => {
            session_verify::one(command_context, &session).await
        }
        SessionCommand::Verify { session: None, all } => {
            session_verify::all(command_context, all && !is_named).await
        }
        steering => session_control::run(command_context, steering).await,
    }
}

/// Which sessions are listed.
#[derive(PartialEq, Eq)]
struct ListedSessions {
    open: bool,
    /// At most so many; 0: all.
    limit: u32,
    waiting: bool,
    kind: Option<KindName>,
    /// A part of a name.
    search: String,
}

impl ListedSessions {
    const ALL: Self = Self { open: false, limit: 0, waiting: false, kind: None, search: String::new() };

    async fn read(&self, api: &ApiClient<'_>) -> Result<Vec<SessionItem>, CliError> {
        let path = api.path(&["sessions"]).with("order", "attention").with("details", "true");
        let path = path.with_some("open", self.open.then_some("true"));
        let path = path.with_some("waiting", self.waiting.then_some("true"));
        let path = path.with_some("kind", self.kind.map(KindName::word));
        let path = path.with_some("q", Some(&*self.search).filter(|text| !text.is_empty()));
        api.list_first(&path, if self.limit == 0 { usize::MAX } else { self.limit as usize }).await
    }
}

impl KindName {
    /// The word of the API.
    fn word(self) -> &'static str {
        match self {
            KindName::Chat => "chat",
            KindName::Seed => "seed",
            KindName::Automation => "automation",
            KindName::Agent => "agent",
        }
    }
}

/// What `session list --json` prints: sessions, those that wait for a person first.
#[derive(Serialize)]
struct SessionsObject {
    sessions: Vec<SessionItem>,
}

async fn list(context: &CommandContext, listed: &ListedSessions) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let sessions = listed.read(&api).await?;
    if context.out.json {
        context
            .out
            .write_json_line(&VersionedShape::new("entracte.sessions/1", SessionsObject { sessions }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    let next: Vec<String> =
        sessions.iter().map(|session| standing::next_command(session, texts, &context.zone)).collect();
    let unread = |session: &SessionItem| session.unread.filter(|count| *count > 0);
    // An empty column is left out.
    let is_counted = sessions.iter().any(|session| unread(session).is_some());
    let is_woken = next.iter().any(|next| !next.is_empty());
    let row = |(session, next): (&SessionItem, &String)| {
        let mut cells = vec![
            session.id.clone(),
            standing::standing(session, texts),
            session.end_reason.as_ref().unwrap_or(&session.phase).clone(),
            // Before the long columns, because a narrow terminal cuts the end of a line.
            name_of(&session.name, texts),
        ];
        cells.extend(is_woken.then(|| next.clone()));
        cells.extend(is_counted.then(|| unread(session).map(|count| count.to_string()).unwrap_or_default()));
        cells.push(shown_instant(&session.last_activity, |at| day(at, &context.zone)));
        cells
    };
    let rows: Vec<Vec<String>> = sessions.iter().zip(&next).map(row).collect();
    let mut head = vec!["session", "standing", "phase", "name"];
    head.extend(is_woken.then_some("next"));
    head.extend(is_counted.then_some("unread"));
    head.push("activity");
    write_table(&context.out, &heads(texts, &head), &rows)?;
    if rows.is_empty() {
        let workspace = api.workspace().as_str();
        context.out.write_notice(&match *listed == ListedSessions::ALL {
            true => say!(texts, "session-none", workspace = workspace),
            false => say!(texts, "session-none-such", workspace = workspace),
        });
    }
    Ok(CliExitCode::Done)
}

async fn show(context: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let id = api.find(ShortIdKind::Session, named).await?;
    let session = read_session_details(&api, &id).await?;
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new(SESSION_SCHEMA, session))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    for line in session_sheet::session(&session, texts, &context.zone) {
        context.out.write_data_line(&fitted_to_terminal(&line, context.out.style.width))?;
    }
    let below: AgentsShape = api.get(&api.path(&["sessions", &id, "agents"])).await?;
    for line in crate::render::agent::tree(&below.agents, texts) {
        context.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

async fn journal(context: &CommandContext, named: &str, after: u64) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let session = api.find(ShortIdKind::Session, named).await?;
    let entries = read_journal(&api, &session, after).await?;
    if context.out.json {
        for entry in entries {
            context.out.write_json_line(&VersionedShape::new(ENTRY_SCHEMA, entry))?;
        }
        return Ok(CliExitCode::Done);
    }
    let lines = context.entry_renderer(context.out.style, api.texts().await?);
    for entry in &entries {
        context.out.write_data_line(&lines.draw(&entry.decode()?))?;
    }
    Ok(CliExitCode::Done)
}

async fn calls(context: &CommandContext, named: &str, only: Option<&str>) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let session = api.find(ShortIdKind::Session, named).await?;
    let mut calls: Vec<CallShape> = api.list(&api.path(&["sessions", &session, "calls"])).await?;
    // The latest is first over HTTP.
    calls.reverse();
    if let Some(only) = only {
        let found = api.find_with_session(ShortIdKind::Call, only).await?;
        calls.retain(|call| call.id == found.id);
        if calls.is_empty() {
            let (call, of) = (found.id, found.session.unwrap_or_default());
            let next = format!("entracte session calls {of} {call}");
            let text = message!("call-other-session", call = call, session = of, first = session.as_str());
            return Err(CliError::with_next(CliExitCode::NotFound, text, next));
        }
    }
    if context.out.json {
        let shape = CallsShape { session, calls };
        context.out.write_json_line(&VersionedShape::new("entracte.calls/1", shape))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    if only.is_none() {
        let rows: Vec<Vec<String>> = calls.iter().map(|call| session_sheet::call(call, texts)).collect();
        let head = ["call", "state", "tries", "took", "decided", "command", "parameters", "answer"];
        for line in table(&refs(&heads(texts, &head)), &rows, context.out.style) {
            context.out.write_data_line(&line)?;
        }
        return Ok(CliExitCode::Done);
    }
    // Without a readable session there are no cards, but its calls are shown all the same.
    let cards = api.list(&api.path(&["approvals"]).with("session", &session)).await;
    let cards: Vec<CardShape> = cards.unwrap_or_default();
    for call in &calls {
        let card = cards.iter().find(|card| card.call == call.id);
        let card = card.map(|card| [vec![String::new()], full_card_lines(card, texts)].concat());
        let lines = session_sheet::whole_call(call, texts, &context.zone);
        for line in lines.into_iter().chain(card.into_iter().flatten()) {
            context.out.write_data_line(&line)?;
        }
    }
    Ok(CliExitCode::Done)
}
