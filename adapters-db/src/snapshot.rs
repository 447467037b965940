//! Read-only access to a database: it is neither created, migrated nor owned.

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
    /// Copies the committed data of `from` into the new file `to` with its current schema, without creating, upgrading,
    /// writing or owning anything. A server database is copied row by row, which needs the schema of this version; an
    /// older one is refused. Blocks.
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

    /// Opens a database that already has the schema of this version, so that nothing is created or upgraded; `None` if
    /// it does not exist or has an older schema. Blocks.
    ///
    /// # Errors
    /// If the database cannot be read, or is not an Entracte database.
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

/// Whether opening the database changes nothing: it exists with the schema of this version. Blocks.
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
        // The schema is current, so opening changes nothing.
        SchemaStatus::Current => Ok(Database::open_at(from.clone(), options.clone())?.backup(to)?),
        SchemaStatus::Empty | SchemaStatus::Old => Err(SnapshotError::Old { location: from.clone() }),
    }
}

impl From<OpenError> for SnapshotError {
    fn from(error: OpenError) -> Self {
        Self::Open(Box::new(error))
    }
}
