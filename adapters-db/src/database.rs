//! A database: opening it, its connections, and what is done to it as a whole (check, backup). The ports are
//! in `stores`.
//!
//! Opening, checking and copying block, and belong to the start of a process or a blocking thread.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use diesel::r2d2::{ManageConnection, NopErrorHandler, Pool};
use entracte_application::ports::StoreError;
use entracte_application::runtime::StorePorts;
use entracte_domain::time::Millis;

use crate::connection::{DbConnection, Opener, Role};
use crate::dialect::{self, sqlite};
use crate::error::{BackupError, OpenError, OwnershipError};
use crate::fault::Fault;
use crate::file;
use crate::location::Location;
use crate::migrations::{self, Shape};
use crate::ownership::Ownership;
use crate::writer::{Work, Writer};

/// How a database is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseOptions {
    /// Connections that read, at most. 4.
    pub readers: u32,
    /// Commits that may wait for the writer; more make their callers wait. 1024.
    pub queue: usize,
    /// Commits that share one transaction, at most. 64.
    pub group: usize,
    /// How long a connection waits for a lock of another process. 5 s.
    pub busy_timeout: Millis,
}

impl Default for DatabaseOptions {
    fn default() -> Self {
        Self { readers: 4, queue: 1024, group: 64, busy_timeout: Millis::seconds(5) }
    }
}

/// What the writer did since the database was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriterCounts {
    /// Transactions committed: each costs a sync of the disk.
    pub transactions: u64,
    /// Pieces of work in them: commits, and mail posted, answered or forgotten.
    pub works: u64,
}

/// An open database. Clones share it; the last one dropped finishes what was queued and closes it.
#[derive(Clone)]
pub struct Database {
    inner: Arc<Inner>,
}

struct Inner {
    location: Location,
    options: DatabaseOptions,
    applied: Vec<String>,
    readers: Pool<Opener>,
    writer: Writer,
}

impl From<&Database> for StorePorts {
    fn from(database: &Database) -> Self {
        Self {
            store: database.store(),
            log: database.log_reader(),
            rows: database.resource_reader(),
            mailbox: database.mailbox(),
            automations: database.automation_reader(),
        }
    }
}

impl Database {
    /// Opens the database at a path or URL ([`Location::parse`]), makes it when it is not there, and applies
    /// the migrations that it lacks.
    ///
    /// A new file is readable by its owner only. A file of a newer version, of another program, or without
    /// permission to write is refused and not changed. An old file is migrated unless someone owns it.
    pub fn open(location: &str, options: DatabaseOptions) -> Result<Self, OpenError> {
        Self::open_at(Location::parse(location)?, options)
    }

    /// Opens the database at a location, as [`Database::open`] does.
    pub fn open_at(location: Location, options: DatabaseOptions) -> Result<Self, OpenError> {
        prepare(location.path())?;
        let _turn = file::wait_for_turn(location.path())
            .map_err(|source| OpenError::Io { path: location.path().to_owned(), source })?;
        let _alone = match migrations::inspect(location.path())? {
            Shape::Old => Some(Ownership::take(location.path()).map_err(OpenError::InUse)?),
            Shape::Empty | Shape::Current => None,
        };
        let opener = |role| Opener { location: location.clone(), role, busy_timeout: options.busy_timeout };
        let mut conn =
            opener(Role::Writer).connect().map_err(|error| migrations::unusable(location.path(), error))?;
        let DbConnection::Sqlite(inner) = &mut conn;
        let applied = migrations::apply(location.path(), inner)?;
        let writer = Writer::start(opener(Role::Writer), conn, options.queue, options.group)
            .map_err(|source| OpenError::Io { path: location.path().to_owned(), source })?;
        let readers = pool(opener(Role::Reader), &options);
        Ok(Self { inner: Arc::new(Inner { location, options, applied, readers, writer }) })
    }

    /// Where it is.
    pub fn location(&self) -> &Location {
        &self.inner.location
    }

    /// The migrations that opening it applied.
    pub fn applied_migrations(&self) -> &[String] {
        &self.inner.applied
    }

    /// Takes the right to handle its events, or says who has it. Never waits.
    pub fn try_own(&self) -> Result<Ownership, OwnershipError> {
        Ownership::take(self.inner.location.path())
    }

    /// What is wrong with the file; nothing when it is sound. Reads all of it, and blocks meanwhile.
    pub fn check(&self) -> Result<Vec<String>, StoreError> {
        let mut conn = self.connect(Role::Reader)?;
        dialect::check(&mut conn).map_err(|error| self.store_error(error.into()))
    }

    /// Copies what is committed into a new file, also while others write. Blocks meanwhile.
    pub fn backup(&self, to: &Path) -> Result<(), BackupError> {
        let mut conn = self.connect(Role::Writer).map_err(|error| BackupError::Failed(error.to_string()))?;
        let copy = file::create(to).map_err(|source| refuse_backup(to, source))?;
        let DbConnection::Sqlite(inner) = &mut conn;
        let outcome = sqlite::copy_into(inner, to).map_err(|error| BackupError::Failed(error.to_string()));
        let outcome = outcome.and_then(|()| copy.sync_all().map_err(|source| refuse_backup(to, source)));
        if outcome.is_err()
            && let Err(error) = std::fs::remove_file(to)
        {
            tracing::warn!(%error, path = %to.display(), "half a backup could not be removed");
        }
        outcome
    }

    /// What the writer did so far.
    pub fn writer_counts(&self) -> WriterCounts {
        let (transactions, works) = self.inner.writer.counted();
        WriterCounts { transactions, works }
    }

    /// Lets the writer do one piece of work.
    pub(crate) async fn write<W: Work>(&self, work: W) -> Result<W::Answer, Fault> {
        self.inner.writer.submit(work).await.map_err(|fault| self.placed(fault))
    }

    /// Asks one question on a connection of the pool, in a blocking thread.
    pub(crate) async fn read<T, F>(&self, question: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut DbConnection) -> Result<T, Fault> + Send + 'static,
    {
        let readers = self.inner.readers.clone();
        let asked = self.blocking(move || {
            let mut conn = readers.get().map_err(|error| Fault::Failed(error.to_string()))?;
            question(&mut conn)
        });
        asked.await
    }

    /// Runs a closure that blocks.
    pub(crate) async fn blocking<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T, Fault> + Send + 'static,
    {
        let outcome = tokio::task::spawn_blocking(work).await;
        let outcome = outcome.unwrap_or_else(|error| Err(Fault::Failed(format!("reading stopped: {error}"))));
        outcome.map_err(|fault| self.store_error(fault))
    }

    /// A connection of its own, outside the pool.
    pub(crate) fn connect(&self, role: Role) -> Result<DbConnection, StoreError> {
        self.opener(role).connect().map_err(|error| self.store_error(error.into()))
    }

    /// Opens connections for `role`.
    pub(crate) fn opener(&self, role: Role) -> Opener {
        let location = self.inner.location.clone();
        Opener { location, role, busy_timeout: self.inner.options.busy_timeout }
    }

    fn store_error(&self, fault: Fault) -> StoreError {
        self.placed(fault).into()
    }

    /// Names the database in a failure of it.
    fn placed(&self, fault: Fault) -> Fault {
        match fault {
            Fault::Failed(text) => Fault::Failed(format!("{}: {text}", self.inner.location)),
            other => other,
        }
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("location", &self.inner.location).finish_non_exhaustive()
    }
}

/// Makes an empty file where there is none, and refuses what cannot be one of ours.
fn prepare(path: &Path) -> Result<(), OpenError> {
    let failed = |source| OpenError::Io { path: path.to_owned(), source };
    file::create_parents(path).map_err(failed)?;
    match file::create(path) {
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed(error)),
    }
    let found = std::fs::metadata(path).map_err(failed)?;
    if found.is_dir() {
        return Err(OpenError::Directory { path: path.to_owned() });
    }
    if found.permissions().readonly() {
        return Err(OpenError::ReadOnly { path: path.to_owned() });
    }
    Ok(())
}

fn pool(opener: Opener, options: &DatabaseOptions) -> Pool<Opener> {
    Pool::builder()
        .max_size(options.readers.max(1))
        .min_idle(Some(0))
        .test_on_check_out(false)
        .connection_timeout(Duration::from_millis(options.busy_timeout.0.max(1).unsigned_abs()))
        .error_handler(Box::new(NopErrorHandler))
        .build_unchecked(opener)
}

fn refuse_backup(to: &Path, source: std::io::Error) -> BackupError {
    let path = PathBuf::from(to);
    match source.kind() {
        std::io::ErrorKind::AlreadyExists => BackupError::Exists { path },
        _ => BackupError::Io { path, source },
    }
}
