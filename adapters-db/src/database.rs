//! A database: its connections, its owner, and operations on the whole of it. The ports are in `stores`, opening is in
//! `database_opening`, copies are in `copy`, `backup` and `snapshot`.
//!
//! Opening, checking and copying block; call them at the start of a process or in a blocking thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use diesel::r2d2::{ManageConnection, NopErrorHandler, Pool};
use entracte_application::failpoints::{
    FailpointOperation, run_between_failpoints, run_blocking_between_failpoints,
};
use entracte_application::ports::{CommitError, ReclaimExtent, ReclaimedSpace, StoreError};

use crate::connection::{ConnectError, ConnectionRole, DbConnection};
use crate::connection_manager::{DbConnectionManager, ReaderConnectionManager};
use crate::cost_count::{self, CostCountResult};
use crate::database_opening::{self, DatabaseOpening};
use crate::db_error::{DbError, classify_outage, one_line_message, outage_of};
use crate::dialect::{self, ReplicationStatus, SequenceLag};
use crate::error::{DatabaseCopyError, DatabaseOwnershipError, OpenError};
use crate::file_identity::DatabaseFile;
use crate::hash_dictionary::HashDictionary;
use crate::location::DatabaseLocation;
use crate::migrations::unusable;
use crate::opening_progress::OpeningStep;
use crate::options::DatabaseOptions;
use crate::ownership::{DatabaseLock, DatabaseLockProbe, LockHolder, holder_of_file};
use crate::writer::{DbWriter, WriteJob};

/// Counters of the writer since the database was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriterCounts {
    /// Committed transactions: each costs a disk sync.
    pub transactions: u64,
    /// Write jobs in those transactions: commits, and mail posted, answered or deleted.
    pub works: u64,
}

/// What a check of a database found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseCheckResult {
    /// The faults; empty if none was found.
    pub faults: Vec<String>,
    /// Whether only a part was looked at.
    pub is_sample: bool,
}

/// Bytes of a database from which on a quick check looks at a part only.
const SAMPLED_BYTES: i64 = 64 << 20;

/// An open database. Clones share it; dropping the last one finishes queued jobs and closes it.
#[derive(Clone)]
pub struct Database {
    inner: Arc<DatabaseInner>,
}

struct DatabaseInner {
    location: DatabaseLocation,
    options: DatabaseOptions,
    /// The opened file; `None` in memory, and for a server.
    file: Option<DatabaseFile>,
    applied: Vec<String>,
    readers: Pool<ReaderConnectionManager>,
    writer: DbWriter,
    hashes: Arc<HashDictionary>,
    /// The lock of the current epoch, while this process owns the database.
    right: Mutex<Option<EpochLock>>,
    /// The latest epoch of this process that has ended; 0 if none has. Commits under it or an earlier one are refused.
    over: AtomicU64,
    /// Keeps a database in memory until the last clone is dropped, after all else.
    _anchor: Option<Mutex<DbConnection>>,
}

/// The database lock, and the epoch that was begun under it.
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
        OpeningStep::ListsInbox { done, total } => {
            tracing::info!(database = %location, done, total, "what waits in earlier sessions is listed");
        }
        OpeningStep::AddsUpCosts { done, total } => {
            tracing::info!(database = %location, done, total, "costs of earlier sessions are added up");
        }
    }
}

/// Message for an ownership whose lock is lost for the moment.
pub(crate) const LOCK_LOST: &str = "ownership was lost; it is restored when no other process holds it";

impl Database {
    /// Opens the database at a path or URL ([`DatabaseLocation::parse`]), creates it if it does not exist, and applies
    /// missing migrations.
    ///
    /// A new file is readable by its owner only; a database in memory is new, and gone when its last clone is dropped; a
    /// server database must exist and may be empty. A database of a newer
    /// version, of another program, or without write permission is refused and not changed. An old one is migrated
    /// unless another process owns it.
    ///
    /// # Errors
    ///
    /// [`OpenError`] says why the database is refused or cannot be reached: its location, its file or
    /// server, its version, or another process that owns it while it needs a migration.
    pub fn open(location: &str, options: DatabaseOptions) -> Result<Self, OpenError> {
        Self::open_at(DatabaseLocation::parse(location)?, options)
    }

    /// Opens the database at a location, as [`Database::open`] does.
    ///
    /// # Errors
    ///
    /// Those of [`Database::open`], except for a location that does not parse.
    pub fn open_at(location: DatabaseLocation, options: DatabaseOptions) -> Result<Self, OpenError> {
        Self::open_with_progress(location, options, &|_| {})
    }

    /// Opens the database at a location, as [`Database::open`] does, and reports why that takes a while, if it does: a
    /// large database of an older version is migrated, or another process migrates it.
    ///
    /// # Errors
    ///
    /// Those of [`Database::open_at`].
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
        let DatabaseOpening { writer, reader, applied, file, anchor } = opened;
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
                _anchor: anchor.map(Mutex::new),
            }),
        })
    }

    /// Location of the database.
    pub fn location(&self) -> &DatabaseLocation {
        &self.inner.location
    }

    /// Options of the database.
    pub(crate) fn options(&self) -> &DatabaseOptions {
        &self.inner.options
    }

    /// The migrations applied when it was opened.
    pub fn applied_migrations(&self) -> &[String] {
        &self.inner.applied
    }

    /// Takes the database lock, or fails with its holder. Never waits. A process that handles events acquires ownership
    /// instead ([`Database::ownership`]), which takes the lock.
    ///
    /// # Errors
    ///
    /// [`DatabaseOwnershipError`] if another process holds the lock, or if the lock cannot be taken.
    pub fn try_own(&self) -> Result<DatabaseLock, DatabaseOwnershipError> {
        DatabaseLock::take_with_check_interval(
            &self.opener(ConnectionRole::Owner),
            self.inner.options.ownership_check,
        )
    }

    /// The process that currently holds the database lock, if known; `None` if no process does. Takes no lock, so it
    /// does not hinder processes that want it.
    ///
    /// # Errors
    /// If the lock cannot be inspected now.
    pub async fn lock_holder(&self) -> Result<Option<LockHolder>, StoreError> {
        match &self.inner.location {
            DatabaseLocation::Sqlite(path) => {
                let path = path.clone();
                self.run_blocking(move || {
                    holder_of_file(&path).map_err(|error| DbError::Failed(error.to_string()))
                })
                .await
            }
            DatabaseLocation::Memory(memory) => {
                Ok(memory.is_owned().then(|| LockHolder { pid: Some(std::process::id()), host: None }))
            }
            DatabaseLocation::Postgres(_) => {
                let holder = self.read(dialect::lock_holder).await?;
                Ok(holder.map(|(pid, host)| LockHolder { pid, host }))
            }
        }
    }

    /// Whether this process owns the database: it has a current epoch and its lock. Uses local knowledge only, without
    /// a request to a server.
    pub fn is_owned_here(&self) -> bool {
        self.check_file().is_ok()
            && self.lock_epoch_state().as_ref().is_some_and(|right| right.lock.is_held())
    }

    fn lock_epoch_state(&self) -> MutexGuard<'_, Option<EpochLock>> {
        self.inner.right.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the lock of an epoch that this process has begun.
    pub(crate) fn set_epoch_lock(&self, epoch: u64, lock: DatabaseLock) {
        lock.bind_epoch(epoch);
        let before = self.lock_epoch_state().replace(EpochLock { epoch, lock });
        drop(before);
    }

    /// Releases the lock of an epoch. From now on commits under it are refused.
    pub(crate) fn release_epoch(&self, epoch: u64) {
        let right = self.lock_epoch_state().take_if(|right| right.epoch == epoch);
        if right.is_some() {
            self.inner.over.fetch_max(epoch, Ordering::SeqCst);
        }
        // Dropped outside of the mutex guard because that makes a request to the server.
        drop(right);
    }

    fn lock_probe(&self, epoch: u64) -> Option<DatabaseLockProbe> {
        self.lock_epoch_state().as_ref().filter(|right| right.epoch == epoch).map(|right| right.lock.probe())
    }

    /// Verifies the lock of an epoch; `None` if the epoch is not current here. Blocks.
    pub(crate) fn verify_epoch_lock(&self, epoch: u64) -> Option<bool> {
        let witness = self.lock_probe(epoch)?;
        Some(witness.verify() || self.restore_file_lock(epoch))
    }

    /// Creates and locks a removed lock file again, unless another process was faster.
    fn restore_file_lock(&self, epoch: u64) -> bool {
        if self.inner.location.file().is_none() {
            return false;
        }
        match self.try_own() {
            // The epoch may have been released meanwhile.
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

    /// Refuses commits under an epoch that has ended or whose lock is lost.
    pub(crate) fn check_commit_allowed(&self, epoch: u64) -> Result<(), CommitError> {
        match self.lock_probe(epoch) {
            Some(witness) if witness.is_over() => Err(CommitError::NotOwner(self.epoch_over_message(epoch))),
            Some(witness) if !witness.is_held() => {
                Err(CommitError::Store(StoreError::Unavailable(LOCK_LOST.into())))
            }
            // Programs without ownership commit under epoch 0.
            None if (1..=self.inner.over.load(Ordering::SeqCst)).contains(&epoch) => {
                Err(CommitError::NotOwner(self.epoch_over_message(epoch)))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn epoch_over_message(&self, epoch: u64) -> String {
        format!("the right of this process to {} (epoch {epoch}) is over", self.inner.location)
    }

    /// Faults of the database; empty if it is sound. Reads the whole database and blocks.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database cannot be read; what it finds is no error.
    pub fn check(&self) -> Result<Vec<String>, StoreError> {
        let mut conn = self.connect(ConnectionRole::Reader)?;
        dialect::check(&mut conn).map_err(|error| self.store_error(error.into()))
    }

    /// Adds up the costs of all sessions anew from their logs, and reports the progress. Other processes may use the
    /// database meanwhile. Blocks.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database cannot be read or written; sessions counted until then keep their sums.
    pub fn recount_costs(&self, tell: &dyn Fn(OpeningStep<'_>)) -> Result<CostCountResult, StoreError> {
        let mut conn = self.connect(ConnectionRole::Writer)?;
        cost_count::recount(&mut conn, tell).map_err(|error| self.store_error(error))
    }

    /// Gives space of deleted rows back. Other processes may use the database meanwhile; a commit may wait. Blocks.
    pub(crate) fn reclaim_space(&self, extent: ReclaimExtent) -> Result<ReclaimedSpace, StoreError> {
        run_blocking_between_failpoints(FailpointOperation::Reclaim, || -> Result<_, StoreError> {
            let is_server = matches!(self.inner.location, DatabaseLocation::Postgres(_));
            if extent == ReclaimExtent::Part && is_server {
                // A server reuses the space of deleted rows by itself.
                return Ok(ReclaimedSpace::default());
            }
            let mut conn = self.connect(ConnectionRole::Writer)?;
            let reclaimed = match extent {
                ReclaimExtent::Part => dialect::reclaim_part(&mut conn),
                ReclaimExtent::Everything => {
                    dialect::reclaim_everything(&mut conn, self.is_owned_by_other_process())
                }
            };
            reclaimed.map_err(|error| self.store_error(error.into()))
        })
    }

    /// Whether another process owns the file, and commits to it while this one writes. False for all but files.
    fn is_owned_by_other_process(&self) -> bool {
        let Some(path) = self.inner.location.file() else { return false };
        match holder_of_file(path) {
            Ok(None) => false,
            Ok(Some(holder)) => holder.pid != Some(std::process::id()),
            // It is not known, so it may be.
            Err(_) => true,
        }
    }

    /// Faults of the database, as [`check`](Self::check) finds them; of a large one only those that show without
    /// reading each row against the others. Blocks.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database cannot be read.
    pub fn check_sample(&self) -> Result<DatabaseCheckResult, StoreError> {
        let mut conn = self.connect(ConnectionRole::Reader)?;
        let found = match dialect::size(&mut conn) {
            Ok(size) if size > SAMPLED_BYTES => {
                dialect::check_sample(&mut conn).map(|faults| DatabaseCheckResult { faults, is_sample: true })
            }
            Ok(_) => dialect::check(&mut conn).map(|faults| DatabaseCheckResult { faults, is_sample: false }),
            Err(error) => Err(error),
        };
        found.map_err(|error| self.store_error(error.into()))
    }

    /// Whether a transaction has run longer than `commit_warning`; nothing is written until it ends.
    pub(crate) fn is_stalled(&self) -> bool {
        self.inner.writer.is_stalled()
    }

    /// Tables whose next generated number already exists, as after logical replication. Blocks.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database cannot be read.
    pub fn lagging_sequences(&self) -> Result<Vec<SequenceLag>, StoreError> {
        let mut conn = self.connect(ConnectionRole::Reader)?;
        dialect::lagging_sequences(&mut conn).map_err(|error| self.store_error(error.into()))
    }

    /// Advances such sequences past the greatest existing number, and returns their previous state. Needs the database
    /// lock, and no worker process. Blocks.
    ///
    /// # Errors
    ///
    /// [`DatabaseCopyError::InUse`] if another process owns the database, [`DatabaseCopyError::Failed`] if it cannot be
    /// read or written.
    pub fn repair_sequences(&self) -> Result<Vec<SequenceLag>, DatabaseCopyError> {
        let _lock = self.try_own().map_err(DatabaseCopyError::InUse)?;
        let failed = |cause| DatabaseCopyError::Failed { location: self.inner.location.clone(), cause };
        let unusable = |error: diesel::result::Error| failed(classify_outage(one_line_message(&error)));
        let mut conn = self.connect(ConnectionRole::Writer).map_err(|error| failed(outage_of(error)))?;
        // Worker processes hold no lock.
        if let Some((pid, host)) = dialect::worker_process(&mut conn).map_err(unusable)? {
            let location = self.inner.location.clone();
            return Err(DatabaseCopyError::InUse(DatabaseOwnershipError::Owned { location, pid, host }));
        }
        dialect::repair_sequences(&mut conn).map_err(unusable)
    }

    /// Replication status of the server; `None` for a file. Blocks.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the server cannot be asked.
    pub fn replication(&self) -> Result<Option<ReplicationStatus>, StoreError> {
        let mut conn = self.connect(ConnectionRole::Reader)?;
        dialect::replication(&mut conn).map_err(|error| self.store_error(error.into()))
    }

    /// Whether the database may be owned only while each COMMIT waits for a replica.
    pub fn requires_sync(&self) -> bool {
        self.inner.options.require_sync
    }

    /// Counters of the writer.
    pub fn writer_counts(&self) -> WriterCounts {
        let (transactions, works) = self.inner.writer.counts();
        WriterCounts { transactions, works }
    }

    /// Submits a job to the writer and waits for its outcome.
    pub(crate) async fn write<W: WriteJob>(&self, work: W) -> Result<W::Answer, DbError> {
        let written = run_between_failpoints(W::OPERATION, self.inner.writer.submit(work)).await;
        written.map_err(|fault| self.with_location(fault))
    }

    /// The dictionary of recurring hashes.
    pub(crate) fn hashes(&self) -> &Arc<HashDictionary> {
        &self.inner.hashes
    }

    /// Runs a query on a pooled connection, in a blocking thread.
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

    /// Runs a blocking closure in a blocking thread.
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

    /// Opens a connection outside the pool.
    pub(crate) fn connect(&self, role: ConnectionRole) -> Result<DbConnection, StoreError> {
        self.opener(role).connect().map_err(|error| self.store_error(error.into()))
    }

    /// Creates a connection manager for `role`.
    pub(crate) fn opener(&self, role: ConnectionRole) -> DbConnectionManager {
        let opener = DbConnectionManager::new(self.inner.location.clone(), role, &self.inner.options);
        DbConnectionManager { file: self.inner.file.clone(), ..opener }
    }

    /// Fails if the opened file was removed or replaced. Blocks.
    pub(crate) fn check_file(&self) -> Result<(), ConnectError> {
        self.inner.file.as_ref().map_or(Ok(()), DatabaseFile::check).map_err(ConnectError::new)
    }

    fn store_error(&self, fault: DbError) -> StoreError {
        self.with_location(fault).into()
    }

    /// Adds the database's location to its failure.
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
        DatabaseLocation::Sqlite(_) | DatabaseLocation::Memory(_) => options.busy_timeout,
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
