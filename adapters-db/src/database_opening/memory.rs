//! Opens a SQLite database in memory.

use super::shared_steps::{DatabaseOpening, callback_for_status};
use crate::connection::{ConnectionRole, DbConnection};
use crate::connection_manager::DbConnectionManager;
use crate::dialect::sqlite;
use crate::error::OpenError;
use crate::location::MemoryDatabase;
use crate::migrations::{self, SchemaStatus, unusable};
use crate::opening_progress::OpeningCallback;

/// Opens the database, empty if no store of this process has it open, and migrates it to the current schema.
pub(super) fn open_in_memory(
    opener: &DbConnectionManager,
    memory: &MemoryDatabase,
    tell: OpeningCallback<'_>,
) -> Result<DatabaseOpening, OpenError> {
    let location = &opener.location;
    let connect = |role| {
        sqlite::connect_in_memory(&memory.name(), role, opener.timeouts.busy, opener.max_bytes)
            .map_err(|error| unusable(location, error))
    };
    let mut writer = connect(ConnectionRole::Writer)?;
    let shape = migrations::sqlite::inspect_connection(location, &mut writer)?;
    let applied = match shape {
        SchemaStatus::Current => Vec::new(),
        SchemaStatus::Empty | SchemaStatus::Old => {
            migrations::sqlite::apply(location, &mut writer, callback_for_status(shape, tell))?
        }
    };
    let anchor = Some(DbConnection::Sqlite(connect(ConnectionRole::Reader)?));
    Ok(DatabaseOpening { writer: DbConnection::Sqlite(writer), reader: None, applied, file: None, anchor })
}
