//! Migrations of the schema, one folder per kind of database. The schema is inspected first: a database of another
//! program or a newer version is refused unchanged. Never reverts.

#[cfg(feature = "postgres")]
pub(crate) mod postgres;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;
#[cfg(test)]
mod tests;

use std::fmt::Display;

use diesel::backend::Backend;
use diesel::migration::MigrationSource;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness};

use crate::db_error::classify_outage;
use crate::error::OpenError;
use crate::location::DatabaseLocation;
use crate::opening_progress::{OpeningCallback, OpeningStep};

diesel::table! {
    __diesel_schema_migrations (version) {
        version -> Text,
    }
}

/// The state of a database's schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaStatus {
    /// There are no tables yet.
    Empty,
    /// Migrations are missing.
    Old,
    /// All migrations are applied.
    Current,
}

/// Compares the applied migrations with those of this build.
fn compare_migrations<DB: Backend>(
    location: &DatabaseLocation,
    applied: &[String],
    migrations: &EmbeddedMigrations,
) -> Result<SchemaStatus, OpenError> {
    let known = MigrationSource::<DB>::migrations(migrations).map_err(|error| unusable(location, error))?;
    let known: Vec<String> = known.iter().map(|migration| migration.name().version().to_string()).collect();
    match applied.iter().find(|version| !known.contains(version)) {
        Some(unknown) => Err(OpenError::Newer { location: location.clone(), migration: unknown.clone() }),
        None if applied.len() < known.len() => Ok(SchemaStatus::Old),
        None => Ok(SchemaStatus::Current),
    }
}

/// Applies missing migrations and reports each as it begins; returns the names of the applied ones.
fn apply_pending_migrations<DB: Backend>(
    conn: &mut impl MigrationHarness<DB>,
    migrations: EmbeddedMigrations,
    tell: OpeningCallback<'_>,
) -> Result<Vec<String>, MigrationError> {
    let lacking = conn.pending_migrations(migrations).map_err(MigrationError::Migration)?;
    let mut applied = Vec::with_capacity(lacking.len());
    for (index, migration) in lacking.iter().enumerate() {
        let name = migration.name().to_string();
        tell(OpeningStep::Migrates { migration: &name, number: index + 1, count: lacking.len() });
        applied.push(conn.run_migration(migration.as_ref()).map_err(MigrationError::Migration)?.to_string());
    }
    Ok(applied)
}

/// The error of a database that refuses, with its cause.
pub(crate) fn unusable(location: &DatabaseLocation, cause: impl Display) -> OpenError {
    OpenError::Unusable { location: location.clone(), cause: classify_outage(cause.to_string()) }
}

/// Why a migration failed.
#[derive(Debug, thiserror::Error)]
enum MigrationError {
    #[error("{0}")]
    Migration(Box<dyn std::error::Error + Send + Sync>),
    #[error(transparent)]
    Database(#[from] diesel::result::Error),
}
