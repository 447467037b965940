//! The shape of the tables and its history, one file for each kind of database. Looks before it touches: a
//! database that is not ours, or was changed by a newer version, is refused as it is. Never reverts.

pub(crate) mod postgres;
pub(crate) mod sqlite;
#[cfg(test)]
mod tests;

use std::fmt::Display;

use diesel::backend::Backend;
use diesel::migration::MigrationSource;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness};

use crate::db_error::outage;
use crate::error::OpenError;
use crate::location::Location;
use crate::progress::{OpeningStep, Tell};

diesel::table! {
    __diesel_schema_migrations (version) {
        version -> Text,
    }
}

/// What a database is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// It has no tables yet.
    Empty,
    /// It lacks migrations.
    Old,
    /// It is up to date.
    Current,
}

/// The shape that these applied migrations give, beside those of this build.
fn compare<DB: Backend>(
    location: &Location,
    applied: &[String],
    migrations: &EmbeddedMigrations,
) -> Result<Shape, OpenError> {
    let known = MigrationSource::<DB>::migrations(migrations).map_err(|error| unusable(location, error))?;
    let known: Vec<String> = known.iter().map(|migration| migration.name().version().to_string()).collect();
    match applied.iter().find(|version| !known.contains(version)) {
        Some(unknown) => Err(OpenError::Newer { location: location.clone(), migration: unknown.clone() }),
        None if applied.len() < known.len() => Ok(Shape::Old),
        None => Ok(Shape::Current),
    }
}

/// Applies what is missing, and tells which begins; returns the names of what it applied.
fn one_after_the_other<DB: Backend>(
    conn: &mut impl MigrationHarness<DB>,
    migrations: EmbeddedMigrations,
    tell: Tell<'_>,
) -> Result<Vec<String>, Refusal> {
    let lacking = conn.pending_migrations(migrations).map_err(Refusal::Migration)?;
    let mut applied = Vec::with_capacity(lacking.len());
    for (index, migration) in lacking.iter().enumerate() {
        let name = migration.name().to_string();
        tell(OpeningStep::Migrates { migration: &name, number: index + 1, count: lacking.len() });
        applied.push(conn.run_migration(migration.as_ref()).map_err(Refusal::Migration)?.to_string());
    }
    Ok(applied)
}

/// The database refuses, and why.
pub(crate) fn unusable(location: &Location, cause: impl Display) -> OpenError {
    OpenError::Unusable { location: location.clone(), cause: outage(cause.to_string()) }
}

/// Why a migration stopped.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("{0}")]
    Migration(Box<dyn std::error::Error + Send + Sync>),
    #[error(transparent)]
    Database(#[from] diesel::result::Error),
}
