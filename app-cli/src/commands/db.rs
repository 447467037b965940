//! `db`: the database as a whole.

use std::path::Path;

use entracte_adapters_db::Database;
use serde_json::json;

use crate::args::DbCommand;
use crate::desk::Desk;
use crate::error::{CliError, Exit, chain};

/// Runs `db …`. These block: nothing else runs in this process meanwhile.
pub(crate) async fn run(desk: &Desk, command: DbCommand) -> Result<Exit, CliError> {
    let wiring = desk.wire()?;
    let database = wiring.database.clone();
    match command {
        DbCommand::Migrate => migrate(desk, &database),
        DbCommand::Check => check(desk, database).await,
        DbCommand::Backup { file } => backup(desk, database, file).await,
    }
}

fn migrate(desk: &Desk, database: &Database) -> Result<Exit, CliError> {
    let applied = database.applied_migrations();
    if desk.out.json {
        desk.out.object(&json!({ "schema": "entracte.migrations/1", "applied": applied }))?;
    } else {
        for migration in applied {
            desk.out.data(&format!("applied {migration}"))?;
        }
        desk.out.say(&format!("{} has the shape of this version", database.location()));
    }
    Ok(Exit::Done)
}

async fn check(desk: &Desk, database: Database) -> Result<Exit, CliError> {
    let location = database.location().to_string();
    let faults = blocking(move || database.check()).await??;
    if desk.out.json {
        desk.out.object(&json!({ "schema": "entracte.db_check/1", "faults": faults }))?;
    } else if faults.is_empty() {
        desk.out.data(&format!("ok  {location}"))?;
    }
    if faults.is_empty() {
        return Ok(Exit::Done);
    }
    let text = format!(
        "{location} is damaged: {}. Copy what can be read: entracte db backup FILE",
        faults.join("; ")
    );
    desk.out.trouble(&CliError::new(Exit::Failure, text));
    Ok(Exit::Failure)
}

async fn backup(desk: &Desk, database: Database, file: std::path::PathBuf) -> Result<Exit, CliError> {
    let to = file.clone();
    blocking(move || database.backup(&to)).await??;
    let shown = Path::display(&file).to_string();
    if desk.out.json {
        desk.out.object(&json!({ "schema": "entracte.backup/1", "file": shown }))?;
    } else {
        desk.out.data(&shown)?;
    }
    Ok(Exit::Done)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, CliError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| CliError::new(Exit::Failure, chain(&error)))
}
