//! `session fork | export | record | import | delete | set`.

mod file;
mod record;
mod rename;
mod session_settings;

pub(in crate::commands) use self::record::speakers;

use entracte_adapters_providers::rehearsal::RecordingOptions;
use entracte_application::texts::say;
use entracte_application::use_cases::{DeleteSession, ForkSession};
use entracte_domain::id::{SessionId, WorkspaceKey};
use serde_json::json;

use super::confirmation::confirm;
use super::turn::SessionContext;
use crate::app_services::AppServices;
use crate::args::SessionCopyCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::text::one_line;
use crate::user_text::message;

/// Runs one of them.
pub(crate) async fn run(
    context: &CommandContext,
    command: SessionCopyCommand,
) -> Result<CliExitCode, CliError> {
    match command {
        SessionCopyCommand::Fork { session, at, name } => fork(context, &session, at, name).await,
        SessionCopyCommand::Export { session, output, force, with_agents, with_files } => {
            let options = file::ExportOptions { output: output.as_deref(), force, with_agents, with_files };
            file::export(context, &session, options).await
        }
        SessionCopyCommand::Record { session, output, force, with_delays } => {
            record::run(context, &session, output.as_deref(), force, RecordingOptions { with_delays }).await
        }
        SessionCopyCommand::Import { file, as_new } => file::import(context, &file, as_new).await,
        SessionCopyCommand::Delete { session, force } => delete(context, &session, force).await,
        SessionCopyCommand::Rename { session, name } => rename::run(context, &session, name).await,
        SessionCopyCommand::Set(args) => session_settings::run(context, args).await,
    }
}

async fn fork(
    context: &CommandContext,
    named: &str,
    at: Option<u64>,
    name: Option<String>,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let (session, workspace) = services.session(&context.settings.workspace, named).await?;
    let at = match at {
        Some(number) => Some((number, sequence_of(&services, &workspace, &session, number).await?)),
        None => None,
    };
    let stage = SessionContext::open_session(context, services, workspace, session).await?;
    let (runtime, services) = (stage.runtime.clone(), &stage.services);
    let fork = ForkSession::new(runtime, services.store.clone(), services.ids.clone());
    let forked = fork
        .run(&stage.workspace, &stage.session, stage.author(), at.map(|(_, sequence)| sequence), name)
        .await;
    let forked = stage.finish_request(forked).await?;
    stage.drain_owned_work().await?;
    let next = go_on(forked.session.as_str());
    if context.out.json {
        context.out.write_json_line(&json!({
            "schema": "entracte.fork/1",
            "session": forked.session.as_str(),
            "name": forked.name,
            "from": stage.session.as_str(),
            // The number in the journal.
            "at": at.map_or(forked.at, |(number, _)| number),
            "next": next,
        }))?;
    } else {
        context.out.write_data_line(forked.session.as_str())?;
        let texts = context.workspace_texts().await;
        let says = say!(texts, "session-forked", name = one_line(&forked.name));
        context.out.write_notice(&format!("{says}\n  {next}"));
    }
    Ok(CliExitCode::Done)
}

/// The session's own count of the event with a number in its journal.
async fn sequence_of(
    services: &AppServices,
    workspace: &WorkspaceKey,
    session: &SessionId,
    number: u64,
) -> Result<u64, CliError> {
    let entries = services.read_log().entries(workspace, session, 0).await?;
    if let Some(entry) = entries.iter().find(|entry| entry.seq == number) {
        return Ok(entry.sequence);
    }
    let ends = [entries.first(), entries.last()].map(|entry| entry.map_or(0, |entry| entry.seq));
    let [first, last] = ends;
    let text =
        message!("session-fork-at", session = session.as_str(), at = number, first = first, last = last);
    Err(CliError::new(CliExitCode::Usage, text).or_next(format!("entracte session journal {session}")))
}

/// The command that continues a session.
fn go_on(session: &str) -> String {
    format!("entracte chat --session {session}")
}

async fn delete(context: &CommandContext, named: &str, force: bool) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let (session, workspace) = services.session(&context.settings.workspace, named).await?;
    let facts = services.show().run(&workspace, &session).await?.facts;
    let (id, name) = (facts.id.as_str(), one_line(&facts.name));
    let texts = context.workspace_texts().await;
    let prompt = say!(texts, "session-delete-ask", session = id, name = &name);
    if !force && !confirm(context, id, &prompt, &format!("entracte session delete {id}")).await? {
        context.out.write_notice(&say!(texts, "deleted-nothing"));
        return Ok(CliExitCode::Interrupted);
    }
    let stage = SessionContext::open_session(context, services, workspace, session).await?;
    let delete = DeleteSession::new(stage.runtime.clone());
    let deleted = delete.run(&stage.workspace, &stage.session, stage.author()).await;
    stage.finish_request(deleted).await?;
    stage.drain_owned_work().await?;
    if context.out.json {
        context
            .out
            .write_json_line(&json!({ "schema": "entracte.delete/1", "session": facts.id.as_str() }))?;
    } else {
        context.out.write_notice(&say!(texts, "session-deleted", session = facts.id.as_str()));
    }
    Ok(CliExitCode::Done)
}
