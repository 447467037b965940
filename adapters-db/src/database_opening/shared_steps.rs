//! What opening a file and opening a database of a server have in common.

use std::time::Duration;

use crate::connection::DbConnection;
use crate::connection_manager::DbConnectionManager;
use crate::error::OpenError;
use crate::file_identity::DatabaseFile;
use crate::migrations::SchemaStatus;
use crate::opening_progress::OpeningCallback;
use crate::ownership::DatabaseLock;

/// The result of opening a database.
pub(crate) struct DatabaseOpening {
    /// Connection of the writer.
    pub(crate) writer: DbConnection,
    /// The connection that inspected a current file: it has loaded the schema, so the first reader reuses it.
    pub(crate) reader: Option<DbConnection>,
    /// Names of the applied migrations.
    pub(crate) applied: Vec<String>,
    /// The opened file; `None` in memory, and for a server.
    pub(crate) file: Option<DatabaseFile>,
    /// The connection that keeps a database in memory while all others are closed.
    pub(crate) anchor: Option<DbConnection>,
}

/// How long another process may be opening the database before the wait is reported.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// Creating a database is fast, so its migrations are not reported.
pub(super) fn callback_for_status(shape: SchemaStatus, tell: OpeningCallback<'_>) -> OpeningCallback<'_> {
    match shape {
        SchemaStatus::Old => tell,
        SchemaStatus::Empty | SchemaStatus::Current => &|_| {},
    }
}

/// A process that migrates an old schema owns the database while it does.
pub(super) fn lock_for_migration(
    opener: &DbConnectionManager,
    shape: SchemaStatus,
) -> Result<Option<DatabaseLock>, OpenError> {
    match shape {
        SchemaStatus::Old => DatabaseLock::take(opener).map(Some).map_err(OpenError::InUse),
        SchemaStatus::Empty | SchemaStatus::Current => Ok(None),
    }
}
