//! `complete`: the ids that a shell offers at the cursor. It only reads, and reports no errors.

use std::time::Duration;

use clap::CommandFactory;
use entracte_adapters_db::Database;
use entracte_application::codec::WorkspaceBody;
use entracte_application::ports::{SessionFilter, TaskFilter};
use entracte_application::use_cases::SessionView;
use entracte_domain::call::CallState;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;

use crate::args::Cli;
use crate::command_context::CommandContext;
use crate::complete::{CompletionIdKind, completion_kind, line};
use crate::error::{CliError, CliExitCode};
use crate::program_stores::ProgramStores;
use crate::secrets::places;

/// The time-out, because a person waits.
const PATIENCE: Duration = Duration::from_secs(2);

/// The most candidates.
const CANDIDATES_MAX: usize = 200;

/// Runs `complete`.
pub(crate) async fn run(
    context: &CommandContext,
    is_described: bool,
    words: &[String],
) -> Result<CliExitCode, CliError> {
    let Some((kind, begin)) = completion_kind(&Cli::command(), words) else { return Ok(CliExitCode::Done) };
    let location = context.settings.database.location(&*places(&context.settings.parts))?;
    let mut options = context.settings.database_options.clone();
    options.busy_timeout = Millis(options.busy_timeout.0.min(500));
    let opened = tokio::task::spawn_blocking(move || Database::open_current(location, options));
    let Ok(Ok(Ok(Some(database)))) = tokio::time::timeout(PATIENCE, opened).await else {
        return Ok(CliExitCode::Done);
    };
    let stores = context.settings.parts.stores_over(&database);
    let found = candidates(&stores, &context.settings.workspace, kind);
    let Ok(found) = tokio::time::timeout(PATIENCE, found).await else { return Ok(CliExitCode::Done) };
    let fitting = found?.into_iter().filter(|(id, _)| id.starts_with(begin));
    for line in fitting.filter_map(|(id, name)| line(&id, &name, is_described)).take(CANDIDATES_MAX) {
        context.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

/// The ids of a kind, each with its name; latest first if they have a time.
async fn candidates(
    stores: &ProgramStores,
    workspace: &WorkspaceKey,
    kind: CompletionIdKind,
) -> Result<Vec<(String, String)>, CliError> {
    let here = SessionFilter { workspace: Some(workspace.clone()), ..SessionFilter::default() };
    match kind {
        CompletionIdKind::Session => {
            let mut lines = stores.log.session_list(&here).await?;
            lines.sort_by_key(|line| std::cmp::Reverse(line.last_activity));
            Ok(lines.into_iter().map(|line| (line.id.to_string(), line.name)).collect())
        }
        CompletionIdKind::Approval | CompletionIdKind::Unsettled => {
            let rows = stores.log.sessions(&here).await?.rows;
            let views = rows.iter().filter_map(|row| SessionView::from_row(row).ok());
            Ok(views.flat_map(|view| of_session(&view, kind)).collect())
        }
        CompletionIdKind::Automation => {
            let rows = stores.automations.automations(workspace).await?;
            Ok(rows.into_iter().map(|row| (row.id.to_string(), row.name)).collect())
        }
        CompletionIdKind::Rule => {
            let body = WorkspaceBody::load(&*stores.store, workspace).await?;
            Ok(body.rules.into_iter().rev().map(|rule| (rule.id, rule.command)).collect())
        }
        CompletionIdKind::Task => {
            let open = TaskFilter { open: true, ..TaskFilter::default() };
            let rows = stores.tasks.tasks(workspace, open).await?;
            Ok(rows.into_iter().map(|row| (row.id.to_string(), row.command)).collect())
        }
        #[cfg(feature = "resources")]
        CompletionIdKind::Zone | CompletionIdKind::Tool => {
            let kind = if kind == CompletionIdKind::Zone { "zone" } else { "tool" };
            let filter =
                entracte_application::ports::ResourceFilter { kind: kind.to_owned(), ..Default::default() };
            let rows = stores.rows.resources(workspace, &filter).await?;
            Ok(rows.into_iter().map(|row| (row.id, row.name)).collect())
        }
    }
}

/// The open approvals of a session, or its calls with unknown outcome.
fn of_session(view: &SessionView, kind: CompletionIdKind) -> Vec<(String, String)> {
    if kind == CompletionIdKind::Unsettled {
        let calls = view.facts.unsettled.iter();
        return calls.map(|call| (call.to_string(), view.facts.name.clone())).collect();
    }
    let calls = view.phase.batch().into_iter().flat_map(|batch| &batch.calls);
    let open = calls.filter(|call| matches!(call.state, CallState::WaitingDecision));
    open.map(|call| (call.approval_id().to_string(), call.command.name.clone())).collect()
}
