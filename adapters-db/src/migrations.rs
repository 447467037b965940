//! The shape of the tables and its history. Looks before it touches: a file that is not ours, or was changed
//! by a newer version, is refused as it is. Never reverts.

use std::fmt::Display;
use std::path::Path;

use diesel::SqliteConnection;
use diesel::migration::{Migration, MigrationSource};
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::dialect::sqlite;
use crate::error::OpenError;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

/// “entr” in the head of the file; set by the first migration.
const APPLICATION_ID: i64 = 0x656e_7472;

diesel::table! {
    __diesel_schema_migrations (version) {
        version -> Text,
    }
}

/// What a file is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// It has no tables yet.
    Empty,
    /// It lacks migrations.
    Old,
    /// It is up to date.
    Current,
}

/// Says what the file is; refuses one that is no database, another program's, or a newer version's.
pub(crate) fn inspect(path: &Path) -> Result<Shape, OpenError> {
    let mut conn = sqlite::look(path).map_err(|error| unusable(path, error))?;
    let tables = sqlite::tables(&mut conn).map_err(|error| unusable(path, error))?;
    if tables.is_empty() {
        return Ok(Shape::Empty);
    }
    if sqlite::application_id(&mut conn).map_err(|error| unusable(path, error))? != APPLICATION_ID {
        return Err(OpenError::Foreign { path: path.to_owned() });
    }
    let applied = __diesel_schema_migrations::table
        .select(__diesel_schema_migrations::version)
        .order(__diesel_schema_migrations::version)
        .load(&mut conn)
        .map_err(|error| unusable(path, error))?;
    compare(path, applied, known(path)?)
}

/// Applies what is missing, in one transaction; gives the names of what it applied.
pub(crate) fn apply(path: &Path, conn: &mut SqliteConnection) -> Result<Vec<String>, OpenError> {
    // One at a time, also when two processes open a new file at once: the second finds nothing to do.
    let applied = conn.immediate_transaction(|conn| {
        let applied = conn.run_pending_migrations(MIGRATIONS).map_err(Refusal::Migration)?;
        Ok(applied.iter().map(ToString::to_string).collect())
    });
    applied.map_err(|refusal: Refusal| unusable(path, refusal))
}

fn compare(path: &Path, applied: Vec<String>, known: Vec<String>) -> Result<Shape, OpenError> {
    match applied.iter().find(|version| !known.contains(version)) {
        Some(unknown) => Err(OpenError::Newer { path: path.to_owned(), migration: unknown.clone() }),
        None if applied.len() < known.len() => Ok(Shape::Old),
        None => Ok(Shape::Current),
    }
}

fn known(path: &Path) -> Result<Vec<String>, OpenError> {
    let migrations =
        MigrationSource::<Sqlite>::migrations(&MIGRATIONS).map_err(|error| unusable(path, error))?;
    Ok(migrations.iter().map(|migration| migration.name().version().to_string()).collect())
}

/// The database refuses, and why.
pub(crate) fn unusable(path: &Path, cause: impl Display) -> OpenError {
    OpenError::Unusable { path: path.to_owned(), cause: cause.to_string() }
}

/// Why a migration stopped.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("{0}")]
    Migration(Box<dyn std::error::Error + Send + Sync>),
    #[error(transparent)]
    Database(#[from] diesel::result::Error),
}
