//! A copy of a database that is only looked at: it is neither made, nor brought to the shape of this version, nor owned.

use std::path::Path;

use diesel::r2d2::ManageConnection;

use crate::backup::refuse_backup;
use crate::connection::{ConnectionRole, DbConnection};
use crate::connection_manager::DbConnectionManager;
use crate::database::Database;
use crate::db_error::{classify_outage, one_line_message};
use crate::dialect::sqlite;
use crate::error::{BackupError, OpenError, SnapshotError};
use crate::location::DatabaseLocation;
use crate::migrations::{self, SchemaStatus, unusable};
use crate::options::DatabaseOptions;
use crate::private_file;

impl Database {
    /// Copies what is committed at `from` into the new file `to`, in the shape that it has there, without opening it as
    /// one that is worked on: nothing is made, upgraded, written or owned. One of a server is copied row by row, which
    /// needs the shape of this version; an older one is refused. Blocks meanwhile.
    pub fn snapshot(
        from: &DatabaseLocation,
        options: &DatabaseOptions,
        to: &Path,
    ) -> Result<(), SnapshotError> {
        match from {
            DatabaseLocation::Sqlite(path) => snapshot_file(from, path, options, to),
            DatabaseLocation::Postgres(_) => snapshot_server(from, options, to),
        }
    }

    /// Opens a database that is there in the shape of this version, so that nothing is made and nothing upgraded; none where
    /// there is no such one. Blocks meanwhile.
    ///
    /// # Errors
    /// When what is there cannot be read, or is no database of Entracte.
    pub fn open_current(
        location: DatabaseLocation,
        options: DatabaseOptions,
    ) -> Result<Option<Self>, OpenError> {
        match is_current(&location, &options)? {
            true => Self::open_at(location, options).map(Some),
            false => Ok(None),
        }
    }
}

/// Whether opening the database changes nothing: it is there, and has the shape of this version. Blocks.
pub(crate) fn is_current(at: &DatabaseLocation, options: &DatabaseOptions) -> Result<bool, OpenError> {
    let shape = match at {
        DatabaseLocation::Sqlite(path) if !path.exists() => return Ok(false),
        DatabaseLocation::Sqlite(path) => migrations::sqlite::inspect(at, path, options.busy_timeout)?,
        DatabaseLocation::Postgres(_) => {
            let opener = DbConnectionManager::new(at.clone(), ConnectionRole::Reader, options);
            opener.refuse_pooler().map_err(|error| unusable(at, error))?;
            match &mut opener.connect().map_err(|error| unusable(at, error))? {
                DbConnection::Postgres(inner) => migrations::postgres::inspect(at, inner)?,
                DbConnection::Sqlite(_) => SchemaStatus::Current,
            }
        }
    };
    Ok(match shape {
        SchemaStatus::Current => true,
        SchemaStatus::Empty | SchemaStatus::Old => false,
    })
}

fn snapshot_file(
    from: &DatabaseLocation,
    path: &Path,
    options: &DatabaseOptions,
    to: &Path,
) -> Result<(), SnapshotError> {
    migrations::sqlite::inspect(from, path, options.busy_timeout)?;
    let mut conn =
        sqlite::open_read_only(path, options.busy_timeout).map_err(|error| unusable(from, error))?;
    let made = private_file::create(to).map_err(|source| refuse_backup(to, source))?;
    sqlite::copy_into(&mut conn, to)
        .map_err(|error| BackupError::Failed(classify_outage(one_line_message(&error))))?;
    Ok(made.sync_all().map_err(|source| refuse_backup(to, source))?)
}

fn snapshot_server(
    from: &DatabaseLocation,
    options: &DatabaseOptions,
    to: &Path,
) -> Result<(), SnapshotError> {
    let opener = DbConnectionManager::new(from.clone(), ConnectionRole::Reader, options);
    opener.refuse_pooler().map_err(|error| unusable(from, error))?;
    let mut conn = opener.connect().map_err(|error| unusable(from, error))?;
    let shape = match &mut conn {
        DbConnection::Postgres(inner) => migrations::postgres::inspect(from, inner)?,
        DbConnection::Sqlite(_) => SchemaStatus::Current,
    };
    match shape {
        // It has the shape already: opening it changes nothing.
        SchemaStatus::Current => Ok(Database::open_at(from.clone(), options.clone())?.backup(to)?),
        SchemaStatus::Empty | SchemaStatus::Old => Err(SnapshotError::Old { location: from.clone() }),
    }
}

impl From<OpenError> for SnapshotError {
    fn from(error: OpenError) -> Self {
        Self::Open(Box::new(error))
    }
}
