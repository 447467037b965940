//! Opens a SQLite file.

use std::path::Path;

use super::shared_steps::{DatabaseOpening, PATIENCE, callback_for_status, lock_for_migration};
use crate::connection::{ConnectionRole, DbConnection};
use crate::connection_manager::DbConnectionManager;
use crate::dialect::sqlite;
use crate::error::OpenError;
use crate::file_identity::{DatabaseFile, link_count};
use crate::migrations::{self, SchemaStatus, unusable};
use crate::opening_progress::{OpeningCallback, OpeningStep};
use crate::private_file::{self, OpeningLock};

/// Opens the file, creates it if it does not exist, and migrates it to the current schema.
pub(super) fn open_file(
    opener: &DbConnectionManager,
    path: &Path,
    tell: OpeningCallback<'_>,
) -> Result<DatabaseOpening, OpenError> {
    let failed = |source| OpenError::Io { path: path.to_owned(), source };
    check_file_format(path)?;
    private_file::create_parents(path).map_err(failed)?;
    let mut turn =
        private_file::acquire_opening_lock(path, PATIENCE, || tell(OpeningStep::Waits)).map_err(failed)?;
    let opened = open_locked(opener, path, &mut turn, tell);
    if opened.is_err() {
        turn.remove_leftovers();
    }
    opened
}

fn open_locked(
    opener: &DbConnectionManager,
    path: &Path,
    turn: &mut OpeningLock,
    tell: OpeningCallback<'_>,
) -> Result<DatabaseOpening, OpenError> {
    let location = &opener.location;
    let failed = |source| OpenError::Io { path: path.to_owned(), source };
    let is_new = prepare_file(path, turn)?;
    let file = DatabaseFile::at(path).map_err(failed)?;
    let mut looks =
        sqlite::open_read_only(path, opener.timeouts.busy).map_err(|error| unusable(location, error))?;
    let shape = migrations::sqlite::inspect_connection(location, &mut looks)?;
    let _alone = lock_for_migration(opener, shape)?;
    let mut writer = sqlite::connect(path, ConnectionRole::Writer, opener.timeouts.busy, opener.max_bytes)
        .map_err(|error| unusable(location, error))?;
    // Not earlier: the first process to open a file reads its whole log, which would then be read twice.
    let reader = match shape {
        SchemaStatus::Current => {
            sqlite::set_reader(&mut looks, opener.timeouts.busy)
                .map_err(|error| unusable(location, error))?;
            Some(DbConnection::Sqlite(looks))
        }
        SchemaStatus::Empty | SchemaStatus::Old => {
            drop(looks);
            None
        }
    };
    let applied = match shape {
        SchemaStatus::Current => Vec::new(),
        SchemaStatus::Empty | SchemaStatus::Old => {
            migrations::sqlite::apply(location, &mut writer, callback_for_status(shape, tell))?
        }
    };
    // Also if a process died between the two steps.
    if is_new {
        // From here on the file is never empty, not even after a crash.
        sqlite::checkpoint_wal(&mut writer).map_err(|error| unusable(location, error))?;
        turn.mark_created().map_err(failed)?;
    }
    file.check().map_err(|error| unusable(location, error))?;
    let writer = DbConnection::Sqlite(writer);
    Ok(DatabaseOpening { writer, reader, applied, file: Some(file), anchor: None })
}

/// Refuses files that are not Entracte databases; changes nothing.
fn check_file_format(path: &Path) -> Result<(), OpenError> {
    let found = match std::fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(OpenError::Io { path: path.to_owned(), source }),
    };
    if found.is_dir() {
        return Err(OpenError::Directory { path: path.to_owned() });
    }
    let names = link_count(&found);
    if names > 1 {
        return Err(OpenError::Linked { path: path.to_owned(), names });
    }
    if found.permissions().readonly() {
        return Err(OpenError::ReadOnly { path: path.to_owned() });
    }
    Ok(())
}

/// Creates an empty file if there is none; returns whether the database has to be created. An empty file without an
/// interrupted creation is a truncated database: creating a new one would hide the loss.
fn prepare_file(path: &Path, turn: &mut OpeningLock) -> Result<bool, OpenError> {
    let failed = |source| OpenError::Io { path: path.to_owned(), source };
    if !path.try_exists().map_err(failed)? {
        turn.mark_creating().map_err(failed)?;
        private_file::create(path).map_err(failed)?;
        return Ok(true);
    }
    if std::fs::metadata(path).map_err(failed)?.len() > 0 {
        return Ok(false);
    }
    match turn.is_creation_interrupted().map_err(failed)? {
        true => Ok(true),
        false => Err(OpenError::Empty { path: path.to_owned() }),
    }
}
