//! The lock of a database, which one process holds at a time. For SQLite it is on a file beside the database, for
//! Postgres an advisory lock on a connection of its own. Both are released when the process ends, however it ends. A
//! database in memory has one in memory.
//!
//! Ownership ([`DbOwnership`](crate::stores)) is this lock and an epoch begun under it. A process that needs exclusive
//! access for a while, to copy or migrate, takes the lock without an epoch.
//!
//! A server's lock can be lost with its connection, and is taken again unless another process holds it or has begun an
//! epoch since; a file lock is lost only if the file is removed. Reading and posting mail need no lock.

#[cfg(feature = "postgres")]
mod advisory_lock;
mod failover;
mod file_lock;

pub(crate) use failover::log_failover;

use std::fmt;
use std::path::{Path, PathBuf};

use entracte_domain::time::Millis;

use crate::connection::ConnectionRole;
use crate::connection_manager::DbConnectionManager;
use crate::db_error::classify_outage;
use crate::dialect::ServerTimeline;
use crate::error::DatabaseOwnershipError;
use crate::file_identity::FileId;
use crate::location::{DatabaseLocation, MemoryDatabaseLock};

/// Default interval between checks of a server's lock.
const LOOK_AFTER: Millis = Millis::seconds(2);

/// The lock of a database; released when dropped.
#[derive(Debug)]
pub struct DatabaseLock {
    held: DatabaseLockKind,
}

#[derive(Debug)]
enum DatabaseLockKind {
    File(file_lock::FileLock),
    Memory {
        _lock: MemoryDatabaseLock,
    },
    #[cfg(feature = "postgres")]
    Server(advisory_lock::AdvisoryLock),
}

/// Reports whether a lock is held, even while it is being released.
#[derive(Clone)]
pub(crate) enum DatabaseLockProbe {
    File(PathBuf, FileId),
    Memory,
    #[cfg(feature = "postgres")]
    Server(advisory_lock::AdvisoryLockProbe),
}

impl DatabaseLockProbe {
    /// Whether the lock is held, without a request to the server.
    pub(crate) fn is_held(&self) -> bool {
        match self {
            DatabaseLockProbe::File(..) | DatabaseLockProbe::Memory => true,
            #[cfg(feature = "postgres")]
            DatabaseLockProbe::Server(probe) => probe.is_held(),
        }
    }

    /// Whether the lock is over for good: it was released, or another process began an epoch.
    pub(crate) fn is_over(&self) -> bool {
        match self {
            DatabaseLockProbe::File(..) | DatabaseLockProbe::Memory => false,
            #[cfg(feature = "postgres")]
            DatabaseLockProbe::Server(probe) => probe.is_over(),
        }
    }

    /// Asks the file system or server whether the lock is held; takes a lost one again. Blocks.
    pub(crate) fn verify(&self) -> bool {
        match self {
            DatabaseLockProbe::File(path, id) => file_lock::is_locked_file_in_place(path, id),
            DatabaseLockProbe::Memory => true,
            #[cfg(feature = "postgres")]
            DatabaseLockProbe::Server(probe) => {
                probe.check_lock();
                probe.is_held()
            }
        }
    }
}

/// The process that holds a lock, as far as known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockHolder {
    /// Process id on its machine.
    pub pid: Option<u32>,
    /// Host of the process, if it may be another machine.
    pub host: Option<String>,
}

/// The holder of a file database's lock; `None` if no process holds it. A process that wants the lock at the same
/// moment is delayed only as long as this check takes.
pub(crate) fn holder_of_file(path: &Path) -> std::io::Result<Option<LockHolder>> {
    Ok(file_lock::lock_holder_pid(path)?.map(|pid| LockHolder { pid, host: None }))
}

impl DatabaseLock {
    /// Takes the lock, or fails with its holder. Never waits for another owner.
    pub(crate) fn take(opener: &DbConnectionManager) -> Result<Self, DatabaseOwnershipError> {
        Self::take_with_check_interval(opener, LOOK_AFTER)
    }

    /// Takes the lock; a lock that can be lost is checked at this interval.
    pub(crate) fn take_with_check_interval(
        opener: &DbConnectionManager,
        every: Millis,
    ) -> Result<Self, DatabaseOwnershipError> {
        let held = match &opener.location {
            DatabaseLocation::Sqlite(path) => {
                opener.check_file().map_err(|error| unusable_error(&opener.location, error))?;
                DatabaseLockKind::File(file_lock::FileLock::take(path)?)
            }
            DatabaseLocation::Memory(memory) => {
                let (location, pid) = (opener.location.clone(), Some(std::process::id()));
                let owned = || DatabaseOwnershipError::Owned { location, pid, host: None };
                DatabaseLockKind::Memory { _lock: memory.try_own().ok_or_else(owned)? }
            }
            #[cfg(feature = "postgres")]
            DatabaseLocation::Postgres(_) => {
                let opener = DbConnectionManager { role: ConnectionRole::Owner, ..opener.clone() };
                DatabaseLockKind::Server(advisory_lock::AdvisoryLock::take(opener, every)?)
            }
            #[cfg(not(feature = "postgres"))]
            DatabaseLocation::Postgres(_) => {
                return Err(unusable_error(&opener.location, opener.location.not_built_in()));
            }
        };
        Ok(Self { held })
    }

    /// Whether the lock is still held. A lost lock of an epoch returns once the server is reachable, if no other
    /// process owned the database meanwhile. Makes no request to the server.
    pub fn is_held(&self) -> bool {
        self.probe().is_held()
    }

    /// Binds the lock to this epoch: if lost, it is taken again only while no later epoch was begun.
    pub(crate) fn bind_epoch(&self, epoch: u64) {
        match &self.held {
            DatabaseLockKind::File(_) | DatabaseLockKind::Memory { .. } => {}
            #[cfg(feature = "postgres")]
            DatabaseLockKind::Server(lock) => lock.bind_epoch(epoch),
        }
    }

    /// Timeline of the server; `None` for a file, or if unavailable.
    pub(crate) fn timeline(&self) -> Option<ServerTimeline> {
        match &self.held {
            DatabaseLockKind::File(_) | DatabaseLockKind::Memory { .. } => None,
            #[cfg(feature = "postgres")]
            DatabaseLockKind::Server(lock) => lock.timeline(),
        }
    }

    pub(crate) fn probe(&self) -> DatabaseLockProbe {
        match &self.held {
            DatabaseLockKind::File(lock) => DatabaseLockProbe::File(lock.path().to_owned(), lock.id()),
            DatabaseLockKind::Memory { .. } => DatabaseLockProbe::Memory,
            #[cfg(feature = "postgres")]
            DatabaseLockKind::Server(lock) => DatabaseLockProbe::Server(lock.probe()),
        }
    }
}

fn unusable_error(location: &DatabaseLocation, cause: impl fmt::Display) -> DatabaseOwnershipError {
    DatabaseOwnershipError::Unusable { location: location.clone(), cause: classify_outage(cause.to_string()) }
}
