//! Copies a whole database into another, empty one, of whichever kind. It reads what was committed at one moment,
//! writes all of it in one transaction, and before that ends reads both again and compares every row.

mod table;
mod tables;

use diesel::connection::SimpleConnection;

use crate::connection::{DbConnection, Role};
use crate::database::Database;
use crate::dialect;
use crate::error::CopyError;
use crate::fault::words;
use table::Table;
pub(crate) use tables::TABLES;

/// Copies; gives the number of rows of each table.
pub(crate) fn copy(source: &Database, target: &Database) -> Result<Vec<(&'static str, u64)>, CopyError> {
    if source.location() == target.location() {
        return Err(CopyError::Same { location: source.location().clone() });
    }
    let _alone = target.try_own().map_err(CopyError::InUse)?;
    let mut from = connect(source, Role::Reader)?;
    let mut to = connect(target, Role::Writer)?;
    dialect::begin_snapshot(&mut from).map_err(|error| failed(source, error))?;
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
) -> Result<Vec<(&'static str, u64)>, CopyError> {
    for table in TABLES {
        if (table.count)(to).map_err(|error| failed(target, error))? > 0 {
            return Err(CopyError::NotEmpty { location: target.location().clone(), table: table.name });
        }
    }
    let mut counts = Vec::with_capacity(TABLES.len());
    for table in TABLES {
        let rows = (table.copy)(from, to).map_err(|fault| match fault {
            table::Fault::Reading(error) => failed(source, error),
            table::Fault::Writing(error) => failed(target, error),
        })?;
        if let Some(key) = table.number {
            let last = dialect::last_number(from, table.name, key).map_err(|error| failed(source, error))?;
            dialect::go_on_after(to, table.name, key, last).map_err(|error| failed(target, error))?;
        }
        counts.push((table.name, rows));
    }
    TABLES.iter().try_for_each(|table| compare(table, source, from, target, to))?;
    Ok(counts)
}

fn compare(
    table: &Table,
    source: &Database,
    from: &mut DbConnection,
    target: &Database,
    to: &mut DbConnection,
) -> Result<(), CopyError> {
    let same = (table.same)(from, to).map_err(|fault| match fault {
        table::Fault::Reading(error) => failed(source, error),
        table::Fault::Writing(error) => failed(target, error),
    })?;
    if same { Ok(()) } else { Err(CopyError::Differs { table: table.name }) }
}

fn connect(database: &Database, role: Role) -> Result<DbConnection, CopyError> {
    let failed = |cause: String| CopyError::Failed { location: database.location().clone(), cause };
    database.connect(role).map_err(|error| failed(error.to_string()))
}

fn failed(database: &Database, error: diesel::result::Error) -> CopyError {
    CopyError::Failed { location: database.location().clone(), cause: words(&error) }
}
