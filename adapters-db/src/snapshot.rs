//! Read-only access to a database: it is neither created, migrated nor owned.

use std::path::Path;

use crate::backup::refuse_backup;
use crate::connection::ConnectionRole;
use crate::database::Database;
use crate::db_error::{classify_outage, one_line_message};
#[cfg(feature = "postgres")]
use crate::dialect::postgres;
#[cfg(feature = "sqlite")]
use crate::dialect::sqlite;
use crate::error::{BackupError, OpenError, SnapshotError};
use crate::location::{DatabaseLocation, PostgresUrl};
use crate::migrations::{self, SchemaStatus, unusable};
use crate::options::DatabaseOptions;
use crate::private_file;

impl Database {
    /// Copies the committed data of `from` into the new file `to` with its current schema, without creating, upgrading,
    /// writing or owning anything. A server database is copied row by row, which needs the schema of this version; an
    /// older one is refused. Blocks.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`] if `from` cannot be opened or has the schema of an older version, or if `to`
    /// exists or cannot be written.
    pub fn snapshot(
        from: &DatabaseLocation,
        options: &DatabaseOptions,
        to: &Path,
    ) -> Result<(), SnapshotError> {
        match from {
            #[cfg(feature = "sqlite")]
            DatabaseLocation::Sqlite(path) => snapshot_file(from, path, options, to),
            #[cfg(feature = "sqlite")]
            DatabaseLocation::Memory(_) => Ok(Database::open_at(from.clone(), options.clone())?.backup(to)?),
            #[cfg(feature = "postgres")]
            DatabaseLocation::Postgres(url) => snapshot_server(from, url, options, to),
            #[cfg(not(all(feature = "postgres", feature = "sqlite")))]
            left_out => Err(OpenError::from(left_out.not_built_in()).into()),
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
        #[cfg(feature = "sqlite")]
        DatabaseLocation::Sqlite(path) if !path.exists() => return Ok(false),
        #[cfg(feature = "sqlite")]
        DatabaseLocation::Sqlite(path) => migrations::sqlite::inspect(at, path, options.busy_timeout)?,
        // A new one is made by this program.
        #[cfg(feature = "sqlite")]
        DatabaseLocation::Memory(_) => SchemaStatus::Current,
        #[cfg(feature = "postgres")]
        DatabaseLocation::Postgres(url) => inspect_server(at, url, options)?,
        #[cfg(not(all(feature = "postgres", feature = "sqlite")))]
        left_out => return Err(left_out.not_built_in().into()),
    };
    Ok(match shape {
        SchemaStatus::Current => true,
        SchemaStatus::Empty | SchemaStatus::Old => false,
    })
}

/// The state of the schema on a server, which a pooler would hide.
#[cfg(feature = "postgres")]
fn inspect_server(
    at: &DatabaseLocation,
    url: &PostgresUrl,
    options: &DatabaseOptions,
) -> Result<SchemaStatus, OpenError> {
    let timeouts = options.timeouts();
    postgres::connect_unpooled(url, timeouts).map_err(|error| unusable(at, error))?;
    let conn = postgres::connect(url, ConnectionRole::Reader, timeouts);
    migrations::postgres::inspect(at, &mut conn.map_err(|error| unusable(at, error))?)
}

#[cfg(feature = "sqlite")]
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

#[cfg(feature = "postgres")]
fn snapshot_server(
    from: &DatabaseLocation,
    url: &PostgresUrl,
    options: &DatabaseOptions,
    to: &Path,
) -> Result<(), SnapshotError> {
    match inspect_server(from, url, options)? {
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
