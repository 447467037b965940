//! Opening of a database: creates it if it does not exist, refuses databases of other programs, and applies missing
//! migrations. Holds a lock meanwhile, so that several processes may open a new database at the same time.

use std::path::Path;
use std::time::Duration;

use diesel::PgConnection;
use diesel::r2d2::ManageConnection;

use crate::connection::DbConnection;
use crate::connection_manager::DbConnectionManager;
use crate::cost_count;
use crate::dialect::{postgres, sqlite};
use crate::error::OpenError;
use crate::file_identity::{DatabaseFile, link_count};
use crate::location::DatabaseLocation;
use crate::migrations::{self, SchemaStatus, unusable};
use crate::opening_progress::{OpeningCallback, OpeningStep};
use crate::ownership::DatabaseLock;
use crate::private_file::{self, OpeningLock};

/// The result of opening a database.
pub(crate) struct DatabaseOpening {
    /// Connection of the writer.
    pub(crate) writer: DbConnection,
    /// The connection that inspected a current file: it has loaded the schema, so the first reader reuses it.
    pub(crate) reader: Option<DbConnection>,
    /// Names of the applied migrations.
    pub(crate) applied: Vec<String>,
    /// The opened file; `None` for a server.
    pub(crate) file: Option<DatabaseFile>,
}

/// How long another process may be opening the database before the wait is reported.
const PATIENCE: Duration = Duration::from_secs(1);

/// Opens the database and migrates it to the current schema.
pub(crate) fn open(
    opener: &DbConnectionManager,
    tell: OpeningCallback<'_>,
) -> Result<DatabaseOpening, OpenError> {
    let mut opened = match &opener.location {
        DatabaseLocation::Sqlite(path) => open_file(opener, path, tell),
        DatabaseLocation::Postgres(_) => open_on_server(opener, tell),
    }?;
    // Also if a process died while it did this.
    cost_count::count_untried(&mut opened.writer, tell).map_err(|error| unusable(&opener.location, error))?;
    Ok(opened)
}

fn open_file(
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
    let mut writer = opener.connect().map_err(|error| unusable(location, error))?;
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
    let applied = match &mut writer {
        DbConnection::Sqlite(inner) => {
            let applied = match shape {
                SchemaStatus::Current => Vec::new(),
                SchemaStatus::Empty | SchemaStatus::Old => {
                    migrations::sqlite::apply(location, inner, callback_for_status(shape, tell))?
                }
            };
            // Also if a process died between the two steps.
            if is_new {
                // From here on the file is never empty, not even after a crash.
                sqlite::checkpoint_wal(inner).map_err(|error| unusable(location, error))?;
                turn.mark_created().map_err(failed)?;
            }
            applied
        }
        DbConnection::Postgres(_) => Vec::new(),
    };
    file.check().map_err(|error| unusable(location, error))?;
    Ok(DatabaseOpening { writer, reader, applied, file: Some(file) })
}

fn open_on_server(
    opener: &DbConnectionManager,
    tell: OpeningCallback<'_>,
) -> Result<DatabaseOpening, OpenError> {
    let location = &opener.location;
    let mut writer = opener.connect().map_err(|error| unusable(location, error))?;
    let applied = match &mut writer {
        DbConnection::Sqlite(_) => Vec::new(),
        DbConnection::Postgres(inner) => {
            postgres::acquire_opening_lock(inner, PATIENCE, || tell(OpeningStep::Waits))
                .map_err(|error| unusable(location, error))?;
            let applied = apply_schema(opener, inner, tell);
            postgres::release_opening_lock(inner).map_err(|error| unusable(location, error))?;
            applied?
        }
    };
    Ok(DatabaseOpening { writer, reader: None, applied, file: None })
}

fn apply_schema(
    opener: &DbConnectionManager,
    conn: &mut PgConnection,
    tell: OpeningCallback<'_>,
) -> Result<Vec<String>, OpenError> {
    let found = migrations::postgres::inspect(&opener.location, conn)?;
    let _alone = lock_for_migration(opener, found)?;
    match found {
        SchemaStatus::Current => Ok(Vec::new()),
        SchemaStatus::Empty | SchemaStatus::Old => {
            migrations::postgres::apply(&opener.location, conn, callback_for_status(found, tell))
        }
    }
}

/// Creating a database is fast, so its migrations are not reported.
fn callback_for_status(shape: SchemaStatus, tell: OpeningCallback<'_>) -> OpeningCallback<'_> {
    match shape {
        SchemaStatus::Old => tell,
        SchemaStatus::Empty | SchemaStatus::Current => &|_| {},
    }
}

/// A process that migrates an old schema owns the database while it does.
fn lock_for_migration(
    opener: &DbConnectionManager,
    shape: SchemaStatus,
) -> Result<Option<DatabaseLock>, OpenError> {
    match shape {
        SchemaStatus::Old => DatabaseLock::take(opener).map(Some).map_err(OpenError::InUse),
        SchemaStatus::Empty | SchemaStatus::Current => Ok(None),
    }
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
