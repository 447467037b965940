//! Copies a whole database into an empty one, of either kind. It reads a snapshot, writes everything in one
//! transaction, and before its end reads both databases again and compares every row.

mod table;
mod tables;

use diesel::connection::SimpleConnection;
use entracte_application::failpoints::{FailpointOperation, run_blocking_between_failpoints};

use crate::connection::{ConnectionRole, DbConnection};
use crate::database::Database;
use crate::db_error::{classify_outage, one_line_message, outage_of};
use crate::dialect;
use crate::error::DatabaseCopyError;
use crate::queries::owner;
pub(crate) use tables::TABLES;

impl Database {
    /// Copies the committed data into an empty database, also while others write to the source; returns the number of
    /// rows per table. The written rows are read back and compared. Blocks.
    ///
    /// # Errors
    ///
    /// [`DatabaseCopyError`] if both are the same database, if `target` is in use or not empty, if a
    /// written row differs, or if one of them fails.
    pub fn copy_into(&self, target: &Database) -> Result<Vec<(&'static str, u64)>, DatabaseCopyError> {
        run_blocking_between_failpoints(FailpointOperation::Copy, || copy_rows(self, target))
    }

    /// Tables whose rows currently differ between the two databases. Blocks.
    ///
    /// # Errors
    ///
    /// [`DatabaseCopyError`] if one of the databases cannot be read.
    pub fn differences(&self, other: &Database) -> Result<Vec<&'static str>, DatabaseCopyError> {
        differences_between(self, other)
    }
}

fn copy_rows(source: &Database, target: &Database) -> Result<Vec<(&'static str, u64)>, DatabaseCopyError> {
    if source.location() == target.location() {
        return Err(DatabaseCopyError::Same { location: source.location().clone() });
    }
    let _alone = target.try_own().map_err(DatabaseCopyError::InUse)?;
    let mut from = connect(source, ConnectionRole::Reader)?;
    let mut to = connect(target, ConnectionRole::Writer)?;
    dialect::begin_snapshot(&mut from).map_err(|error| failed(source, error))?;
    dialect::lift_limits(&mut from).map_err(|error| failed(source, error))?;
    dialect::begin_copy(&mut to).map_err(|error| failed(target, error))?;
    let outcome = write(source, &mut from, target, &mut to);
    let end = if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = to.batch_execute(end).map_err(|error| failed(target, error));
    outcome.and_then(|counts| ended.map(|()| counts))
}

fn write(
    source: &Database,
    from: &mut DbConnection,
    target: &Database,
    to: &mut DbConnection,
) -> Result<Vec<(&'static str, u64)>, DatabaseCopyError> {
    // A database that had an owner may still be empty; its workspaces continue from the copied epochs.
    owner::delete_owner(to).map_err(|error| failed(target, error))?;
    for table in TABLES {
        if (table.count)(to).map_err(|error| failed(target, error))? > 0 {
            return Err(DatabaseCopyError::NotEmpty {
                location: target.location().clone(),
                table: table.name,
            });
        }
    }
    let mut counts = Vec::with_capacity(TABLES.len());
    for table in TABLES {
        let rows = (table.copy)(from, to).map_err(|fault| match fault {
            table::RowCopyError::Reading(error) => failed(source, error),
            table::RowCopyError::Writing(error) => failed(target, error),
        })?;
        if let Some(key) = table.number {
            let last = dialect::last_number(from, table.name, key).map_err(|error| failed(source, error))?;
            dialect::set_last_number(to, table.name, key, last).map_err(|error| failed(target, error))?;
        }
        counts.push((table.name, rows));
    }
    match differing_tables(source, from, target, to)?.first() {
        Some(table) => Err(DatabaseCopyError::Differs { table }),
        None => Ok(counts),
    }
}

fn differences_between(one: &Database, other: &Database) -> Result<Vec<&'static str>, DatabaseCopyError> {
    let mut conn_of_one = connect(one, ConnectionRole::Reader)?;
    let mut conn_of_other = connect(other, ConnectionRole::Reader)?;
    for (database, conn) in [(one, &mut conn_of_one), (other, &mut conn_of_other)] {
        dialect::begin_snapshot(conn).map_err(|error| failed(database, error))?;
        dialect::lift_limits(conn).map_err(|error| failed(database, error))?;
    }
    differing_tables(one, &mut conn_of_one, other, &mut conn_of_other)
}

fn differing_tables(
    source: &Database,
    from: &mut DbConnection,
    target: &Database,
    to: &mut DbConnection,
) -> Result<Vec<&'static str>, DatabaseCopyError> {
    let mut different = Vec::new();
    for table in TABLES {
        let same = (table.same)(from, to).map_err(|fault| match fault {
            table::RowCopyError::Reading(error) => failed(source, error),
            table::RowCopyError::Writing(error) => failed(target, error),
        })?;
        if !same {
            different.push(table.name);
        }
    }
    Ok(different)
}

fn connect(database: &Database, role: ConnectionRole) -> Result<DbConnection, DatabaseCopyError> {
    let failed = |cause| DatabaseCopyError::Failed { location: database.location().clone(), cause };
    database.connect(role).map_err(|error| failed(outage_of(error)))
}

fn failed(database: &Database, error: diesel::result::Error) -> DatabaseCopyError {
    DatabaseCopyError::Failed {
        location: database.location().clone(),
        cause: classify_outage(one_line_message(&error)),
    }
}
