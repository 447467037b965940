//! `db`: maintains the whole database.

use std::path::Path;

use entracte_adapters_db::{Database, SequenceLag};
use entracte_adapters_http::shapes::verdict::VerdictShape;
use entracte_application::ports::{SessionFilter, SessionListRow};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{ListSessions, SessionSearch, UseCaseError, VerifySession};
use serde_json::json;

use crate::app_services::AppServices;
use crate::args::DbCommand;
use crate::command_context::CommandContext;
use crate::commands::session_verify::SessionVerdict;
use crate::config::{DatabaseSource, expect_database};
use crate::error::{CliError, CliExitCode, chain};
use crate::progress_display::{CountedProgress, ProgressDisplay};
use crate::secrets::places;
use crate::user_text::message;

/// Runs `db …`. The subcommands block, because nothing else runs in this process meanwhile.
pub(crate) async fn run(context: &CommandContext, command: DbCommand) -> Result<CliExitCode, CliError> {
    let database = || context.open_services().map(|services| services.database.clone());
    match command {
        DbCommand::Migrate => migrate(context, &database()?).await,
        DbCommand::Check => check(context, &*context.open_services()?).await,
        DbCommand::Repair => repair(context, database()?).await,
        DbCommand::Backup { file } => backup(context, database()?, file).await,
        DbCommand::Copy { from, to } => copy(context, &from, &to).await,
    }
}

async fn migrate(context: &CommandContext, database: &Database) -> Result<CliExitCode, CliError> {
    let applied = database.applied_migrations();
    if context.out.json {
        context.out.write_json_line(&json!({ "schema": "entracte.migrations/1", "applied": applied }))?;
    } else {
        let texts = context.workspace_texts().await;
        for migration in applied {
            context.out.write_data_line(&say!(texts, "db-applied", migration = migration))?;
        }
        context.out.write_notice(&say!(
            texts,
            "doctor-database-current",
            place = database.location().to_string()
        ));
    }
    Ok(CliExitCode::Done)
}

/// Checks the database itself, and replays each session (as `session verify` does).
async fn check(context: &CommandContext, services: &AppServices) -> Result<CliExitCode, CliError> {
    let location = services.database.location().to_string();
    let texts = context.workspace_texts().await;
    let (faults, ill) = faults(services, texts, context.progress()).await?;
    let database = services.database.clone();
    let behind = blocking(move || database.lagging_sequences()).await??;
    if context.out.json {
        let object = json!({
            "schema": "entracte.db_check/1", "faults": faults, "sessions": ill,
            "counters_behind": counter_objects(&behind),
        });
        context.out.write_json_line(&object)?;
    } else if faults.is_empty() && behind.is_empty() {
        context.out.write_data_line(&format!("ok  {location}"))?;
    } else {
        for verdict in &ill {
            context.out.write_data_line(&verdict.line(texts))?;
        }
    }
    if faults.is_empty() && behind.is_empty() {
        return Ok(CliExitCode::Done);
    }
    if faults.is_empty() {
        let text = message!("db-counters-behind", place = location, tables = counter_list(&behind));
        let error = CliError::with_next(CliExitCode::Failure, text, "entracte db repair");
        context.out.write_error_text(&context.localize_error(error).await);
        return Ok(CliExitCode::Failure);
    }
    let text = message!("db-damaged", place = location, faults = faults.join("; "));
    context.out.write_error_text(&context.localize_error(CliError::new(CliExitCode::Failure, text)).await);
    Ok(CliExitCode::Failure)
}

/// The faults of the database, and the sessions that differ from their logs.
pub(super) async fn faults(
    services: &AppServices,
    texts: &LocalizedTexts,
    progress: ProgressDisplay<'_>,
) -> Result<(Vec<String>, Vec<SessionVerdict>), CliError> {
    let database = services.database.clone();
    let checked = blocking(move || database.check());
    let mut faults = progress.show_time("doctor-checks-integrity", checked).await??;
    let mut ill = Vec::new();
    match ListSessions::new(services.log.clone())
        .lines(&SessionFilter::default(), &SessionSearch::default())
        .await
    {
        Ok(rows) => {
            for (done, row) in rows.iter().enumerate() {
                progress.show_count("db-replays", CountedProgress { done, total: rows.len() });
                ill.extend(verdict(services, row).await.filter(|verdict| !verdict.is_well()));
            }
            progress.clear();
            if !ill.is_empty() {
                faults.push(say!(texts, "db-sessions-ill", ill = ill.len(), count = rows.len()));
            }
        }
        Err(error) => faults.push(chain(&error)),
    }
    Ok((faults, ill))
}

/// A damaged session must not hide the others. `None` if it was deleted, or is going by the retention policy.
async fn verdict(services: &AppServices, row: &SessionListRow) -> Option<SessionVerdict> {
    let verify = VerifySession::new(services.store.clone(), services.log.clone());
    let shape = match verify.run(&row.workspace, &row.id).await {
        Ok(mismatch) => VerdictShape::new(mismatch),
        Err(UseCaseError::NotFound(_) | UseCaseError::NotApplicable(_)) => return None,
        Err(error) => VerdictShape::damaged(chain(&error)),
    };
    Some(SessionVerdict::new(row.id.as_str(), shape))
}

/// Repairs counters that are behind their tables.
async fn repair(context: &CommandContext, database: Database) -> Result<CliExitCode, CliError> {
    let location = database.location().to_string();
    let mended = blocking(move || database.repair_sequences()).await??;
    if context.out.json {
        let object = json!({ "schema": "entracte.db_repair/1", "counters_mended": counter_objects(&mended) });
        context.out.write_json_line(&object)?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.workspace_texts().await;
    for counter in &mended {
        let (table, greatest) = (&counter.table, counter.greatest.to_string());
        context.out.write_data_line(&say!(texts, "db-counter-mended", table = table, greatest = greatest))?;
    }
    if mended.is_empty() {
        context.out.write_notice(&say!(texts, "db-nothing-to-repair", place = location));
    }
    Ok(CliExitCode::Done)
}

fn counter_objects(counters: &[SequenceLag]) -> Vec<serde_json::Value> {
    let object = |counter: &SequenceLag| json!({ "table": counter.table, "next": counter.next, "greatest": counter.greatest });
    counters.iter().map(object).collect()
}

/// The counters that are behind their tables, with the repair command; `None` if there are none.
pub(super) async fn counters_fault(
    database: &Database,
    texts: &LocalizedTexts,
) -> Result<Option<String>, CliError> {
    let (place, database) = (database.location().to_string(), database.clone());
    let behind = blocking(move || database.lagging_sequences()).await??;
    let says = || say!(texts, "db-counters-behind", place = place, tables = counter_list(&behind));
    Ok((!behind.is_empty()).then(|| format!("{}: entracte db repair", says())))
}

/// The names of the counters: “sessions, log”.
pub(super) fn counter_list(counters: &[SequenceLag]) -> String {
    counters.iter().map(|counter| counter.table.as_str()).collect::<Vec<_>>().join(", ")
}

async fn backup(
    context: &CommandContext,
    database: Database,
    file: std::path::PathBuf,
) -> Result<CliExitCode, CliError> {
    let to = file.clone();
    context.progress().show_time("db-backs-up", blocking(move || database.backup(&to))).await??;
    let shown = Path::display(&file).to_string();
    if context.out.json {
        context.out.write_json_line(&json!({ "schema": "entracte.backup/1", "file": shown }))?;
    } else {
        context.out.write_data_line(&shown)?;
    }
    Ok(CliExitCode::Done)
}

/// Copies the database, then replays every session of the copy.
async fn copy(context: &CommandContext, from: &str, to: &str) -> Result<CliExitCode, CliError> {
    let location = |text: &str| DatabaseSource::read(text).location(&*places(&context.settings.parts));
    let (from, to) = (location(from)?, location(to)?);
    expect_database(&from).map_err(|none| none.or_next("entracte db copy --help"))?;
    let options = context.settings.database_options.clone();
    let copied = move || {
        let source = Database::open_at(from, options.clone())?;
        let target = Database::open_at(to, options)?;
        let rows = source.copy_into(&target)?;
        Ok::<_, CliError>((source, target, rows))
    };
    let progress = context.progress();
    let (source, target, rows) = progress.show_time("db-copies", blocking(copied)).await??;
    let sessions = replay(&target, progress).await?;
    let (from, to) = (source.location().to_string(), target.location().to_string());
    if context.out.json {
        let rows: serde_json::Map<_, _> =
            rows.into_iter().map(|(table, rows)| (table.to_owned(), rows.into())).collect();
        let object = json!({
            "schema": "entracte.db_copy/1", "from": from, "to": to, "rows": rows, "sessions_replayed": sessions,
        });
        context.out.write_json_line(&object)?;
    } else {
        for (table, rows) in rows {
            context.out.write_data_line(&format!("{rows:>9}  {table}"))?;
        }
        let texts = context.workspace_texts().await;
        context.out.write_notice(&say!(texts, "db-copied", from = from, to = to, count = sessions));
    }
    Ok(CliExitCode::Done)
}

/// Replays every session; returns their number.
async fn replay(database: &Database, progress: ProgressDisplay<'_>) -> Result<usize, CliError> {
    let sessions = ListSessions::new(database.log_reader())
        .lines(&SessionFilter::default(), &SessionSearch::default())
        .await?;
    let verify = VerifySession::new(database.store(), database.log_reader());
    let mut wrong = Vec::new();
    for (done, session) in sessions.iter().enumerate() {
        progress.show_count("db-replays", CountedProgress { done, total: sessions.len() });
        // An unreadable session must not hide the others.
        match verify.run(&session.workspace, &session.id).await {
            // The first part of the log of a session that is going by the retention policy is gone.
            Ok(None) | Err(UseCaseError::NotApplicable(_)) => {}
            Ok(Some(_)) | Err(_) => wrong.push(session.id.to_string()),
        }
    }
    progress.clear();
    if wrong.is_empty() {
        return Ok(sessions.len());
    }
    let (place, wrong) = (database.location(), wrong.join(", "));
    let text = message!("db-copy-wrong", place = place.to_string(), sessions = wrong);
    Err(CliError::new(CliExitCode::Failure, text).or_next("entracte session verify"))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, CliError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| CliError::new(CliExitCode::Failure, chain(&error)))
}
