//! A database: its connections, its owner, and what is done to it as a whole. The ports are in `stores`, how it is
//! opened in `opening`, how it is copied in `copy`, `backup` and `snapshot`.
//!
//! Opening, checking and copying block, and belong to the start of a process or a blocking thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use diesel::r2d2::{ManageConnection, NopErrorHandler, Pool};
use entracte_application::failpoints::{
    FailpointOperation, run_between_failpoints, run_blocking_between_failpoints,
};
use entracte_application::ports::{CommitError, StoreError};

use crate::connection::{ConnectError, ConnectionRole, DbConnection};
use crate::connection_manager::{DbConnectionManager, ReaderConnectionManager};
use crate::database_opening::{self, DatabaseOpening};
use crate::db_error::{DbError, classify_outage, one_line_message, outage_of};
use crate::dialect::{self, ReplicationStatus, SequenceLag};
use crate::error::{DatabaseOwnershipError, OpenError, DatabaseCopyError};
use crate::file_identity::DatabaseFile;
use crate::hash_dictionary::HashDictionary;
use crate::location::DatabaseLocation;
use crate::migrations::unusable;
use crate::opening_progress::OpeningStep;
use crate::options::DatabaseOptions;
use crate::ownership::{DatabaseLock, DatabaseLockProbe, LockHolder, holder_of_file};
use crate::writer::{DbWriter, WriteJob};

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
    inner: Arc<DatabaseInner>,
}

struct DatabaseInner {
    location: DatabaseLocation,
    options: DatabaseOptions,
    /// The file that was opened; `None` of a server.
    file: Option<DatabaseFile>,
    applied: Vec<String>,
    readers: Pool<ReaderConnectionManager>,
    writer: DbWriter,
    hashes: Arc<HashDictionary>,
    /// The right to handle its events, while this process has it.
    right: Mutex<Option<EpochLock>>,
    /// The latest epoch of this process that is over; 0 before any is. Nothing is committed under it, nor under one before it.
    over: AtomicU64,
}

/// The lock of the database, and the epoch that was counted under it.
struct EpochLock {
    epoch: u64,
    lock: DatabaseLock,
}

fn log(location: &DatabaseLocation, step: OpeningStep<'_>) {
    match step {
        OpeningStep::Waits => {
            tracing::warn!(database = %location, "another process is opening the database; waiting")
        }
        OpeningStep::Migrates { migration, number, count } => {
            tracing::info!(database = %location, migration, number, count, "the database is upgraded");
        }
    }
}

/// What is told of a right whose lock is lost for now.
pub(crate) const LOCK_LOST: &str = "ownership was lost; it is restored when no other process holds it";

impl Database {
    /// Opens the database at a path or URL ([`DatabaseLocation::parse`]), makes it when it is not there, and applies
    /// the migrations that it lacks.
    ///
    /// A new file is readable by its owner only; a database of a server must be there, and may be empty. One of a
    /// newer version, of another program, or without permission to write is refused and not changed. An old one is
    /// migrated unless someone owns it.
    pub fn open(location: &str, options: DatabaseOptions) -> Result<Self, OpenError> {
        Self::open_at(DatabaseLocation::parse(location)?, options)
    }

    /// Opens the database at a location, as [`Database::open`] does.
    pub fn open_at(location: DatabaseLocation, options: DatabaseOptions) -> Result<Self, OpenError> {
        Self::open_with_progress(location, options, &|_| {})
    }

    /// Opens the database at a location, as [`Database::open`] does, and tells why it takes a while, if it does: a large one of an
    /// older version is brought to the shape of this one, or another process does so.
    pub fn open_with_progress(
        location: DatabaseLocation,
        options: DatabaseOptions,
        tell: &dyn Fn(OpeningStep<'_>),
    ) -> Result<Self, OpenError> {
        let opener = |role| DbConnectionManager::new(location.clone(), role, &options);
        let tell = |step: OpeningStep<'_>| {
            log(&location, step);
            tell(step);
        };
        let opened = run_blocking_between_failpoints(FailpointOperation::Migrate, || {
            database_opening::open(&opener(ConnectionRole::Writer), &tell)
        })?;
        let DatabaseOpening { writer, reader, applied, file } = opened;
        let opener = |role| DbConnectionManager { file: file.clone(), ..opener(role) };
        let writer = DbWriter::start(opener(ConnectionRole::Writer), writer, &options)
            .map_err(|source| unusable(&location, source))?;
        let readers = pool(ReaderConnectionManager::new(opener(ConnectionRole::Reader), reader), &options);
        Ok(Self {
            inner: Arc::new(DatabaseInner {
                location,
                options,
                file,
                applied,
                readers,
                writer,
                hashes: Arc::default(),
                right: Mutex::new(None),
                over: AtomicU64::new(0),
            }),
        })
    }

    /// Where it is.
    pub fn location(&self) -> &DatabaseLocation {
        &self.inner.location
    }

    /// How it is used.
    pub(crate) fn options(&self) -> &DatabaseOptions {
        &self.inner.options
    }

    /// The migrations that opening it applied.
    pub fn applied_migrations(&self) -> &[String] {
        &self.inner.applied
    }

    /// Takes its lock, or says who has it. Never waits. A process that handles its events acquires ownership
    /// ([`Database::ownership`]), which takes the lock.
    pub fn try_own(&self) -> Result<DatabaseLock, DatabaseOwnershipError> {
        DatabaseLock::take_with_check_interval(
            &self.opener(ConnectionRole::Owner),
            self.inner.options.ownership_check,
        )
    }

    /// The process that has the lock of the database now, as far as that can be told; `None` when no process has it. Takes nothing,
    /// so it hinders no process that wants the lock at this moment.
    ///
    /// # Errors
    /// When the lock cannot be looked at now.
    pub async fn lock_holder(&self) -> Result<Option<LockHolder>, StoreError> {
        match self.inner.location.file() {
            Some(path) => {
                let path = path.to_owned();
                self.run_blocking(move || {
                    holder_of_file(&path).map_err(|error| DbError::Failed(error.to_string()))
                })
                .await
            }
            None => {
                let holder = self.read(dialect::lock_holder).await?;
                Ok(holder.map(|(pid, host)| LockHolder { pid, host }))
            }
        }
    }

    /// Whether this process has the right to handle its events: an epoch that is not over, and its lock. Tells what is known
    /// without a question to a server.
    pub fn is_owned_here(&self) -> bool {
        self.check_file().is_ok()
            && self.lock_epoch_state().as_ref().is_some_and(|right| right.lock.is_held())
    }

    fn lock_epoch_state(&self) -> MutexGuard<'_, Option<EpochLock>> {
        self.inner.right.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The right of an epoch is this process's.
    pub(crate) fn set_epoch_lock(&self, epoch: u64, lock: DatabaseLock) {
        lock.bind_epoch(epoch);
        let before = self.lock_epoch_state().replace(EpochLock { epoch, lock });
        drop(before);
    }

    /// Gives the right of an epoch back. From now on nothing is committed under it.
    pub(crate) fn release_epoch(&self, epoch: u64) {
        let right = self.lock_epoch_state().take_if(|right| right.epoch == epoch);
        if right.is_some() {
            self.inner.over.fetch_max(epoch, Ordering::SeqCst);
        }
        // Outside of the guard: a server is told.
        drop(right);
    }

    fn lock_probe(&self, epoch: u64) -> Option<DatabaseLockProbe> {
        self.lock_epoch_state().as_ref().filter(|right| right.epoch == epoch).map(|right| right.lock.probe())
    }

    /// Whether the lock of the right of an epoch is still there; none when that right is not this process's. Blocks.
    pub(crate) fn verify_epoch_lock(&self, epoch: u64) -> Option<bool> {
        let witness = self.lock_probe(epoch)?;
        Some(witness.verify() || self.restore_file_lock(epoch))
    }

    /// The file of a lock was removed: it is made and locked again, unless another process was faster.
    fn restore_file_lock(&self, epoch: u64) -> bool {
        if self.inner.location.file().is_none() {
            return false;
        }
        match self.try_own() {
            // Unless it was released meanwhile.
            Ok(lock) => match self.lock_epoch_state().as_mut().filter(|right| right.epoch == epoch) {
                Some(right) => {
                    right.lock = lock;
                    true
                }
                None => false,
            },
            Err(error) => {
                tracing::warn!(%error, "the lock of the database is lost");
                false
            }
        }
    }

    /// Nothing is committed under a right whose lock is lost, or that is over.
    pub(crate) fn check_commit_allowed(&self, epoch: u64) -> Result<(), CommitError> {
        match self.lock_probe(epoch) {
            Some(witness) if witness.is_over() => Err(CommitError::NotOwner(self.epoch_over_message(epoch))),
            Some(witness) if !witness.is_held() => {
                Err(CommitError::Store(StoreError::Unavailable(LOCK_LOST.into())))
            }
            // Programs that own nothing commit under the epoch 0.
            None if (1..=self.inner.over.load(Ordering::SeqCst)).contains(&epoch) => {
                Err(CommitError::NotOwner(self.epoch_over_message(epoch)))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn epoch_over_message(&self, epoch: u64) -> String {
        format!("the right of this process to {} (epoch {epoch}) is over", self.inner.location)
    }

    /// What is wrong with the database; nothing when it is sound. Reads all of it, and blocks meanwhile.
    pub fn check(&self) -> Result<Vec<String>, StoreError> {
        let mut conn = self.connect(ConnectionRole::Reader)?;
        dialect::check(&mut conn).map_err(|error| self.store_error(error.into()))
    }

    /// Whether a transaction has been under way for longer than `commit_warning`: nothing is written until it comes to its end.
    pub(crate) fn is_stalled(&self) -> bool {
        self.inner.writer.is_stalled()
    }

    /// The tables whose next number is taken already, as logical replication leaves them. Blocks.
    pub fn lagging_sequences(&self) -> Result<Vec<SequenceLag>, StoreError> {
        let mut conn = self.connect(ConnectionRole::Reader)?;
        dialect::lagging_sequences(&mut conn).map_err(|error| self.store_error(error.into()))
    }

    /// Lets such tables go on after their greatest number, while no other process owns the database; returns them as they
    /// were. Blocks.
    pub fn repair_sequences(&self) -> Result<Vec<SequenceLag>, DatabaseCopyError> {
        let _lock = self.try_own().map_err(DatabaseCopyError::InUse)?;
        let failed = |cause| DatabaseCopyError::Failed { location: self.inner.location.clone(), cause };
        let mut conn = self.connect(ConnectionRole::Writer).map_err(|error| failed(outage_of(error)))?;
        dialect::repair_sequences(&mut conn)
            .map_err(|error| failed(classify_outage(one_line_message(&error))))
    }

    /// What its server says of its replicas; `None` of a file. Blocks.
    pub fn replication(&self) -> Result<Option<ReplicationStatus>, StoreError> {
        let mut conn = self.connect(ConnectionRole::Reader)?;
        dialect::replication(&mut conn).map_err(|error| self.store_error(error.into()))
    }

    /// Whether it is owned only while each COMMIT waits for a replica too.
    pub fn requires_sync(&self) -> bool {
        self.inner.options.require_sync
    }

    /// What the writer did so far.
    pub fn writer_counts(&self) -> WriterCounts {
        let (transactions, works) = self.inner.writer.counts();
        WriterCounts { transactions, works }
    }

    /// Lets the writer do one piece of work.
    pub(crate) async fn write<W: WriteJob>(&self, work: W) -> Result<W::Answer, DbError> {
        let written = run_between_failpoints(W::OPERATION, self.inner.writer.submit(work)).await;
        written.map_err(|fault| self.with_location(fault))
    }

    /// The hashes that recur in bodies.
    pub(crate) fn hashes(&self) -> &Arc<HashDictionary> {
        &self.inner.hashes
    }

    /// Runs one query on a connection of the pool, in a blocking thread.
    pub(crate) async fn read<T, F>(&self, question: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut DbConnection) -> Result<T, DbError> + Send + 'static,
    {
        let readers = self.inner.readers.clone();
        let asked = self.run_blocking(move || {
            let mut conn = readers.get().map_err(|error| DbError::Failed(error.to_string()))?;
            question(&mut conn)
        });
        asked.await
    }

    /// Runs a closure that blocks.
    pub(crate) async fn run_blocking<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T, DbError> + Send + 'static,
    {
        let outcome = tokio::task::spawn_blocking(work).await;
        let outcome =
            outcome.unwrap_or_else(|error| Err(DbError::Failed(format!("reading stopped: {error}"))));
        outcome.map_err(|fault| self.store_error(fault))
    }

    /// A connection of its own, outside the pool.
    pub(crate) fn connect(&self, role: ConnectionRole) -> Result<DbConnection, StoreError> {
        self.opener(role).connect().map_err(|error| self.store_error(error.into()))
    }

    /// Opens connections for `role`.
    pub(crate) fn opener(&self, role: ConnectionRole) -> DbConnectionManager {
        let opener = DbConnectionManager::new(self.inner.location.clone(), role, &self.inner.options);
        DbConnectionManager { file: self.inner.file.clone(), ..opener }
    }

    /// Refuses to go on when the file that was opened was removed, or another one has its name. Blocks.
    pub(crate) fn check_file(&self) -> Result<(), ConnectError> {
        self.inner.file.as_ref().map_or(Ok(()), DatabaseFile::check).map_err(ConnectError::new)
    }

    fn store_error(&self, fault: DbError) -> StoreError {
        self.with_location(fault).into()
    }

    /// Names the database in a failure of it.
    fn with_location(&self, fault: DbError) -> DbError {
        match fault {
            DbError::Failed(text) => DbError::Failed(format!("{}: {text}", self.inner.location)),
            other => other,
        }
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("location", &self.inner.location).finish_non_exhaustive()
    }
}

fn pool(readers: ReaderConnectionManager, options: &DatabaseOptions) -> Pool<ReaderConnectionManager> {
    let patience = match readers.location() {
        DatabaseLocation::Sqlite(_) => options.busy_timeout,
        DatabaseLocation::Postgres(_) => options.connect_timeout,
    };
    Pool::builder()
        .max_size(options.readers.max(1))
        .min_idle(Some(0))
        .test_on_check_out(true)
        .connection_timeout(Duration::from_millis(patience.0.max(1).unsigned_abs()))
        .error_handler(Box::new(NopErrorHandler))
        .build_unchecked(readers)
}
