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

/// Application id “entr” in the file header; set by the first migration.
const APPLICATION_ID: i64 = 0x656e_7472;

/// Inspects the file; refuses one that is not a database, is another program's, or a newer version's.
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

/// Inspects the database of an open connection.
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

/// Applies missing migrations in one transaction and reports each as it begins; returns the names of the applied ones.
pub(crate) fn apply(
    location: &DatabaseLocation,
    conn: &mut SqliteConnection,
    tell: OpeningCallback<'_>,
) -> Result<Vec<String>, OpenError> {
    // The transaction serializes two processes that open a new file at once: the second one finds nothing to do.
    let applied =
        conn.immediate_transaction(|conn| apply_pending_migrations::<Sqlite>(conn, MIGRATIONS, tell));
    applied.map_err(|refusal: MigrationError| unusable(location, refusal))
}
