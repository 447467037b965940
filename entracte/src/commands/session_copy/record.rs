//! Records a session's model replies as a rehearsal script.

use std::collections::BTreeSet;
use std::path::Path;

use entracte_adapters_providers::rehearsal::{self, RecordingOptions};
use entracte_application::journal::JournalEntry;
use entracte_application::ports::SecretOwner;
use entracte_application::texts::say;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::session::Input;
use serde_json::json;

use super::file::{unwritable, write};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// The people whose messages are in a session: their personal secrets may have been used in it.
pub(in crate::commands) fn speakers(workspace: &WorkspaceKey, entries: &[JournalEntry]) -> Vec<SecretOwner> {
    let author = |entry: &JournalEntry| match &entry.input {
        Input::UserMessageSent(sent) => Some(sent.author.clone()),
        _ => None,
    };
    let people: BTreeSet<String> = entries.iter().filter_map(author).collect();
    people.into_iter().map(|person| SecretOwner { workspace: workspace.clone(), person }).collect()
}

pub(super) async fn run(
    context: &CommandContext,
    named: &str,
    output: Option<&Path>,
    force: bool,
    recording: RecordingOptions,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let (session, workspace) = services.session(&context.settings.workspace, named).await?;
    let entries = services.read_log().entries(&workspace, &session, 0).await?;
    let scrubber = services.known.scrubber(&speakers(&workspace, &entries));
    let Some(script) = rehearsal::record_script(&session, &entries, recording, &*scrubber) else {
        let text = message!("session-record-nothing", session = session.as_str());
        return Err(CliError::new(CliExitCode::NotFound, text));
    };
    let turns = script.lines().filter(|line| *line == "[[turn]]").count();
    let object = |file: Option<&Path>, script: Option<&str>| {
        json!({
            "schema": "entracte.record/1",
            "session": session.as_str(),
            "file": file.map(|file| file.display().to_string()),
            "turns": turns,
            "script": script,
        })
    };
    let Some(path) = output else {
        match context.out.json {
            true => context.out.write_json_line(&object(None, Some(&script)))?,
            false => context.out.write_data_line(script.trim_end())?,
        }
        return Ok(CliExitCode::Done);
    };
    let again = format!("entracte session record {session} --output");
    write(path, script.trim_end(), force).map_err(|error| unwritable(&error, &again, path))?;
    if context.out.json {
        context.out.write_json_line(&object(Some(path), None))?;
    } else {
        let texts = context.workspace_texts().await;
        let file = path.display().to_string();
        let says = say!(texts, "session-recorded", session = session.as_str(), file = &file, count = turns);
        context.out.write_notice(&format!("{says}\n  entracte chat --script {file}"));
    }
    Ok(CliExitCode::Done)
}
