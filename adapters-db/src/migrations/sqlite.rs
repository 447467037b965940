//! Migrations of SQLite.

use std::path::Path;

use diesel::SqliteConnection;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use diesel_migrations::{EmbeddedMigrations, embed_migrations};
use entracte_domain::time::Millis;

use super::{
    __diesel_schema_migrations, MigrationError, SchemaStatus, apply_pending_migrations, compare_migrations,
    unusable,
};
use crate::dialect::sqlite;
use crate::error::OpenError;
use crate::location::DatabaseLocation;
use crate::opening_progress::OpeningCallback;

pub(super) const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

/// “entr” in the head of the file; set by the first migration.
const APPLICATION_ID: i64 = 0x656e_7472;

/// Says what the file is; refuses one that is not a database, is another program's, or a newer version's.
pub(crate) fn inspect(
    location: &DatabaseLocation,
    path: &Path,
    busy: Millis,
) -> Result<SchemaStatus, OpenError> {
    inspect_connection(
        location,
        &mut sqlite::open_read_only(path, busy).map_err(|error| unusable(location, error))?,
    )
}

/// The same, on a connection that looks.
pub(crate) fn inspect_connection(
    location: &DatabaseLocation,
    conn: &mut SqliteConnection,
) -> Result<SchemaStatus, OpenError> {
    let tables = sqlite::tables(conn).map_err(|error| unusable(location, error))?;
    if tables.is_empty() {
        return Ok(SchemaStatus::Empty);
    }
    if sqlite::application_id(conn).map_err(|error| unusable(location, error))? != APPLICATION_ID {
        return Err(OpenError::Foreign { location: location.clone() });
    }
    let applied: Vec<String> = __diesel_schema_migrations::table
        .select(__diesel_schema_migrations::version)
        .order(__diesel_schema_migrations::version)
        .load(conn)
        .map_err(|error| unusable(location, error))?;
    compare_migrations::<Sqlite>(location, &applied, &MIGRATIONS)
}

/// Applies what is missing, in one transaction, and tells which begins; returns the names of what it applied.
pub(crate) fn apply(
    location: &DatabaseLocation,
    conn: &mut SqliteConnection,
    tell: OpeningCallback<'_>,
) -> Result<Vec<String>, OpenError> {
    // One at a time, also when two processes open a new file at once: the second finds nothing to do.
    let applied =
        conn.immediate_transaction(|conn| apply_pending_migrations::<Sqlite>(conn, MIGRATIONS, tell));
    applied.map_err(|refusal: MigrationError| unusable(location, refusal))
}
