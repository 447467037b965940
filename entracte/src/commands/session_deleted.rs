//! `session deleted`: the records of deleted sessions.

use entracte_adapters_http::shapes::deletion::{DeletionShape, DeletionsShape};
use entracte_application::journal::{SessionDeletion, UnfinishedCall};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::ReadDeletions;

use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::stored_words;
use crate::render::text::one_line;
use crate::render::time::day;

/// Runs `session deleted`.
pub(super) async fn run(context: &CommandContext, limit: u32) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let deletions = ReadDeletions::new(services.log.clone()).run(workspace, limit).await?;
    if context.out.json {
        let shape = DeletionsShape { deletions: deletions.iter().map(DeletionShape::from).collect() };
        context.out.write_json_line(&VersionedShape::new("entracte.deletions/1", shape))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, workspace).await?;
    for deletion in &deletions {
        context.out.write_data_line(&draw(context, deletion, texts))?;
    }
    if deletions.is_empty() {
        context.out.write_notice(&say!(texts, "deletions-none", workspace = workspace.as_str()));
    }
    Ok(CliExitCode::Done)
}

/// A line for the session, and one for each unfinished call.
fn draw(context: &CommandContext, deletion: &SessionDeletion, texts: &LocalizedTexts) -> String {
    let (session, who, at) =
        (deletion.session.as_str(), one_line(&deletion.author), day(deletion.at, &context.zone));
    let mut lines = vec![say!(texts, "deletions-line", at = at, session = session, who = who)];
    lines.extend(deletion.open.iter().map(|open| format!("  {}", line(open, texts))));
    if deletion.more > 0 {
        lines.push(format!("  {}", say!(texts, "deletions-more", count = deletion.more)));
    }
    lines.join("\n")
}

fn line(open: &UnfinishedCall, texts: &LocalizedTexts) -> String {
    let id = open.approval.as_ref().map_or(open.call.as_str(), |approval| approval.as_str());
    let state = stored_words::word("state", &open.state, texts);
    let digest: String =
        open.card.as_ref().unwrap_or(&open.command_id).as_str().chars().take(DIGITS).collect();
    format!("{id}  {}  {state}  {digest}", one_line(&open.command))
}

/// The shown digits of a digest; `--json` has all.
const DIGITS: usize = 16;
