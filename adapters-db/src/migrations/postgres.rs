//! Migrations of Postgres. Inspecting or changing the schema requires an advisory lock, so that several processes may
//! open a new database at once.

use diesel::PgConnection;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel_migrations::{EmbeddedMigrations, embed_migrations};

use super::{
    __diesel_schema_migrations, MigrationError, SchemaStatus, apply_pending_migrations, compare_migrations,
    unusable,
};
use crate::dialect::postgres;
use crate::error::OpenError;
use crate::location::DatabaseLocation;
use crate::opening_progress::OpeningCallback;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/postgres");

/// Inspects the schema; refuses another program's, or a newer version's.
pub(crate) fn inspect(
    location: &DatabaseLocation,
    conn: &mut PgConnection,
) -> Result<SchemaStatus, OpenError> {
    let failed = |error| unusable(location, error);
    if postgres::schema(conn).map_err(failed)?.is_none() {
        return Err(OpenError::NoSchema { location: location.clone() });
    }
    if postgres::tables(conn).map_err(failed)?.is_empty() {
        return Ok(SchemaStatus::Empty);
    }
    if !postgres::is_entracte_schema(conn).map_err(failed)? {
        return Err(OpenError::Foreign { location: location.clone() });
    }
    let applied: Vec<String> = __diesel_schema_migrations::table
        .select(__diesel_schema_migrations::version)
        .order(__diesel_schema_migrations::version)
        .load(conn)
        .map_err(failed)?;
    compare_migrations::<Pg>(location, &applied, &MIGRATIONS)
}

/// Applies missing migrations in one transaction and reports each as it begins; returns the names of the applied ones.
/// Rebuilding a large table may take longer than the statement time-out, which is therefore lifted.
pub(crate) fn apply(
    location: &DatabaseLocation,
    conn: &mut PgConnection,
    tell: OpeningCallback<'_>,
) -> Result<Vec<String>, OpenError> {
    let applied = conn.transaction(|conn| {
        postgres::lift_limits(conn)?;
        apply_pending_migrations::<Pg>(conn, MIGRATIONS, tell)
    });
    applied.map_err(|refusal: MigrationError| unusable(location, refusal))
}
