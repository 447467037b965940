//! The lock of a database, which one process has at a time. For SQLite it is on a file beside the database, for Postgres it
//! is one of the server, on a connection of its own. Both are given back when the process ends, however it ends.
//!
//! The right to handle events ([`DbOwnership`](crate::stores)) is this lock and an epoch that is counted under it. A process
//! that needs the database alone for a while, to copy into it or to migrate it, takes the lock and counts nothing.
//!
//! A server's lock can be lost, with its connection, and is taken again when no other process has it and none counted an epoch
//! since; one on a file is lost only where the file is removed. The lock is not needed to read, nor to post mail.

mod advisory_lock;
mod file_lock;

pub(crate) use advisory_lock::log_failover;

use std::fmt;
use std::path::{Path, PathBuf};

use entracte_domain::time::Millis;

use crate::connection::ConnectionRole;
use crate::connection_manager::DbConnectionManager;
use crate::db_error::classify_outage;
use crate::dialect::postgres::ServerTimeline;
use crate::error::DatabaseOwnershipError;
use crate::file_identity::FileId;
use crate::location::DatabaseLocation;

/// How often the lock of a server is checked, unless the settings say otherwise.
const LOOK_AFTER: Millis = Millis::seconds(2);

/// The lock of a database; given back when dropped.
#[derive(Debug)]
pub struct DatabaseLock {
    held: DatabaseLockKind,
}

#[derive(Debug)]
enum DatabaseLockKind {
    File(file_lock::FileLock),
    Server(advisory_lock::AdvisoryLock),
}

/// Says whether a lock is held, also while it is given back.
#[derive(Clone)]
pub(crate) enum DatabaseLockProbe {
    File(PathBuf, FileId),
    Server(advisory_lock::AdvisoryLockProbe),
}

impl DatabaseLockProbe {
    /// Whether the lock is there, as far as can be told without a question.
    pub(crate) fn is_held(&self) -> bool {
        match self {
            DatabaseLockProbe::File(..) => true,
            DatabaseLockProbe::Server(probe) => probe.is_held(),
        }
    }

    /// Whether the lock is over for good: it was given back, or another process counted an epoch.
    pub(crate) fn is_over(&self) -> bool {
        match self {
            DatabaseLockProbe::File(..) => false,
            DatabaseLockProbe::Server(probe) => probe.is_over(),
        }
    }

    /// Looks, and asks the server, whether the lock is there; takes it again where it was lost. Blocks meanwhile.
    pub(crate) fn verify(&self) -> bool {
        match self {
            DatabaseLockProbe::File(path, id) => file_lock::is_locked_file_in_place(path, id),
            DatabaseLockProbe::Server(probe) => {
                probe.check_lock();
                probe.is_held()
            }
        }
    }
}

/// The process that has a lock, as far as that can be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockHolder {
    /// The number of the process on its machine.
    pub pid: Option<u32>,
    /// The machine, where that is perhaps another one.
    pub host: Option<String>,
}

/// The process that has the lock of the database in a file; `None` when no process has it. Takes nothing: a process that wants the
/// lock at this moment is not in the way of this look for longer than the look takes.
pub(crate) fn holder_of_file(path: &Path) -> std::io::Result<Option<LockHolder>> {
    Ok(file_lock::lock_holder_pid(path)?.map(|pid| LockHolder { pid, host: None }))
}

impl DatabaseLock {
    /// Takes the lock, or says who has it. Never waits for another owner.
    pub(crate) fn take(opener: &DbConnectionManager) -> Result<Self, DatabaseOwnershipError> {
        Self::take_with_check_interval(opener, LOOK_AFTER)
    }

    /// The same; a lock that can be lost is checked this often.
    pub(crate) fn take_with_check_interval(
        opener: &DbConnectionManager,
        every: Millis,
    ) -> Result<Self, DatabaseOwnershipError> {
        let held = match &opener.location {
            DatabaseLocation::Sqlite(path) => {
                opener.check_file().map_err(|error| unusable_error(&opener.location, error))?;
                DatabaseLockKind::File(file_lock::FileLock::take(path)?)
            }
            DatabaseLocation::Postgres(_) => {
                let opener = DbConnectionManager { role: ConnectionRole::Owner, ..opener.clone() };
                DatabaseLockKind::Server(advisory_lock::AdvisoryLock::take(opener, every)?)
            }
        };
        Ok(Self { held })
    }

    /// Whether the lock is still there. One of an epoch that was lost comes back when the server can be reached again and no
    /// other process owned the database meanwhile. Asks nothing of the server.
    pub fn is_held(&self) -> bool {
        self.probe().is_held()
    }

    /// From now on the lock is that of this epoch: one that was lost is taken again only while no later epoch was counted.
    pub(crate) fn bind_epoch(&self, epoch: u64) {
        if let DatabaseLockKind::Server(lock) = &self.held {
            lock.bind_epoch(epoch);
        }
    }

    /// The history that the server is on; `None` of a file, and of a server that does not say it.
    pub(crate) fn timeline(&self) -> Option<ServerTimeline> {
        match &self.held {
            DatabaseLockKind::File(_) => None,
            DatabaseLockKind::Server(lock) => lock.timeline(),
        }
    }

    pub(crate) fn probe(&self) -> DatabaseLockProbe {
        match &self.held {
            DatabaseLockKind::File(lock) => DatabaseLockProbe::File(lock.path().to_owned(), lock.id()),
            DatabaseLockKind::Server(lock) => DatabaseLockProbe::Server(lock.probe()),
        }
    }
}

fn unusable_error(location: &DatabaseLocation, cause: impl fmt::Display) -> DatabaseOwnershipError {
    DatabaseOwnershipError::Unusable { location: location.clone(), cause: classify_outage(cause.to_string()) }
}
