//! An advisory lock of the server, on a connection of its own, with which it is lost. A thread periodically checks it.
//! The lost lock of an epoch is taken again unless another process holds it or has begun an epoch since: then the epoch
//! is over, and the lock is never taken again. A lost lock without an epoch stays lost, because it is unknown whether
//! another process held it meanwhile.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use diesel::PgConnection;
use diesel::r2d2::{ManageConnection, R2D2Connection};
use entracte_domain::time::Millis;

use super::failover::log_failover;
use crate::connection::DbConnection;
use crate::connection_manager::DbConnectionManager;
use crate::db_error::{UNREPLICATED, classify_outage};
use crate::dialect::ServerTimeline;
use crate::dialect::postgres;
use crate::error::DatabaseOwnershipError;

/// Number of waits, and pause between them, for a running check when the lock is released.
const LOOKS: u32 = 50;
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

/// The held lock; released when dropped.
pub(super) struct AdvisoryLock {
    probe: AdvisoryLockProbe,
    /// Ends the thread when it is dropped.
    _end: Sender<()>,
}

/// Reports whether the lock is held.
#[derive(Clone)]
pub(crate) struct AdvisoryLockProbe(Arc<AdvisoryLockState>);

struct AdvisoryLockState {
    opener: DbConnectionManager,
    /// `None` while the lock is lost.
    conn: Mutex<Option<PgConnection>>,
    held: AtomicBool,
    /// The epoch that was begun under the lock; 0 before that.
    epoch: AtomicU64,
    /// True if the lock was released, or another process began an epoch: it is never taken again.
    over: AtomicBool,
    /// Timeline of the server when the lock was last taken; `None` if unavailable.
    timeline: Mutex<Option<ServerTimeline>>,
    /// Number of checks in one lease.
    looks_of_lease: u64,
    /// Checks left after a failover until the lock counts again. Until then the owner on the old server may still send.
    looks_to_wait: AtomicU64,
}

impl AdvisoryLock {
    /// Takes the lock of the database of `opener`, or fails with its holder.
    pub(super) fn take(opener: DbConnectionManager, every: Millis) -> Result<Self, DatabaseOwnershipError> {
        let (conn, timeline) = acquire_lock(&opener)?;
        let state = AdvisoryLockState {
            conn: Mutex::new(Some(conn)),
            held: AtomicBool::new(true),
            epoch: AtomicU64::new(0),
            over: AtomicBool::new(false),
            timeline: Mutex::new(timeline),
            looks_of_lease: checks_per_lease(opener.lease, every),
            looks_to_wait: AtomicU64::new(0),
            opener,
        };
        let probe = AdvisoryLockProbe(Arc::new(state));
        let (end, ended) = channel();
        let looks = probe.clone();
        let every = Duration::from_millis(every.0.max(1).unsigned_abs());
        // The thread is not joined: it may be waiting for a server that does not answer.
        std::thread::Builder::new()
            .name("entracte-owner".to_owned())
            .spawn(move || run_lock_checks(&looks, &ended, every))
            .map_err(|error| unusable(&probe.0.opener, error))?;
        Ok(Self { probe, _end: end })
    }

    /// Binds the lock to this epoch.
    pub(super) fn bind_epoch(&self, epoch: u64) {
        self.probe.0.epoch.store(epoch, Ordering::SeqCst);
    }

    /// Timeline of the server when the lock was last taken.
    pub(super) fn timeline(&self) -> Option<ServerTimeline> {
        self.probe.0.timeline.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A probe of the lock for other components.
    pub(super) fn probe(&self) -> AdvisoryLockProbe {
        self.probe.clone()
    }
}

impl Drop for AdvisoryLock {
    fn drop(&mut self) {
        self.probe.give_back();
    }
}

impl fmt::Debug for AdvisoryLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdvisoryLock").field("held", &self.probe.0.held).finish_non_exhaustive()
    }
}

impl AdvisoryLockProbe {
    /// Whether the lock is held, judging by the connection's socket without a request to the server.
    pub(super) fn is_held(&self) -> bool {
        let closed = match self.0.conn.try_lock() {
            Ok(mut conn) => conn.as_mut().is_none_or(|conn| postgres::drain_notifications(conn).is_err()),
            // A check is running at this moment.
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Poisoned(_)) => true,
        };
        if closed {
            self.mark_lost();
        }
        self.0.held.load(Ordering::SeqCst)
    }

    /// Whether the lock is over: it was released, or another process began an epoch.
    pub(super) fn is_over(&self) -> bool {
        self.0.over.load(Ordering::SeqCst)
    }

    /// Releases the lock. If a check is running, that check releases it at its end.
    fn give_back(&self) {
        self.0.over.store(true, Ordering::SeqCst);
        self.0.held.store(false, Ordering::SeqCst);
        for _ in 0..LOOKS {
            match self.0.conn.try_lock() {
                Ok(mut conn) => return release_and_close(&mut conn),
                Err(TryLockError::Poisoned(poisoned)) => {
                    return release_and_close(&mut poisoned.into_inner());
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(BETWEEN_LOOKS),
            }
        }
    }

    fn mark_lost(&self) {
        self.log_lost();
        // A running check notices the release itself.
        if let Ok(mut conn) = self.0.conn.try_lock() {
            *conn = None;
        }
    }

    fn log_lost(&self) {
        if self.0.held.swap(false, Ordering::SeqCst) {
            tracing::warn!(database = %self.0.opener.location, "lost the lock of the database");
        }
    }

    /// Asks the server about the lock; takes a lost lock again unless it is over.
    pub(super) fn check_lock(&self) {
        let mut conn = self.0.conn.lock().unwrap_or_else(PoisonError::into_inner);
        self.check_lock_on(&mut conn);
        // Released meanwhile.
        if self.is_over() {
            self.0.held.store(false, Ordering::SeqCst);
            release_and_close(&mut conn);
        }
    }

    fn check_lock_on(&self, conn: &mut MutexGuard<'_, Option<PgConnection>>) {
        if self.is_over() {
            return;
        }
        let epoch = self.0.epoch.load(Ordering::SeqCst);
        if let Some(answering) = conn.as_mut() {
            let asked = match epoch {
                0 => answering.ping().map(|()| None).map_err(|error| error.to_string()),
                _ => postgres::latest_epoch(answering).map_err(|error| error.to_string()),
            };
            match asked {
                Ok(latest) => {
                    self.compare(epoch, latest);
                    return self.restore();
                }
                Err(error) => tracing::debug!(error, "the lock of the database is lost with its connection"),
            }
        }
        **conn = None;
        self.log_lost();
        if epoch == 0 {
            return;
        }
        match acquire_lock(&self.0.opener) {
            Ok((mut again, timeline)) => match postgres::latest_epoch(&mut again) {
                Ok(latest) => {
                    self.compare(epoch, latest);
                    **conn = Some(again);
                    self.record_timeline(timeline);
                    self.restore();
                }
                Err(error) => tracing::debug!(%error, "the latest epoch cannot be read"),
            },
            Err(error) => tracing::debug!(%error, "the lock of the database cannot be taken again"),
        }
    }

    /// Ends this epoch if another process has begun a later one.
    fn compare(&self, epoch: u64, latest: Option<u64>) {
        if let Some(latest) = latest.filter(|latest| *latest != epoch) {
            self.0.over.store(true, Ordering::SeqCst);
            tracing::warn!(database = %self.0.opener.location, epoch, latest, "another process owned the database since");
        }
    }
}

/// Releases the lock of this connection and closes it.
fn release_and_close(conn: &mut Option<PgConnection>) {
    if let Some(mut conn) = conn.take()
        && let Err(error) = postgres::release_owner_lock(&mut conn)
    {
        tracing::debug!(%error, "the lock of the database ends with its connection");
    }
}

impl AdvisoryLockProbe {
    /// Records the server's timeline; after a failover the lock does not count for one lease.
    fn record_timeline(&self, now: Option<ServerTimeline>) {
        let mut timeline = self.0.timeline.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some(old), Some(new)) = (&*timeline, &now) else {
            *timeline = now.or(timeline.take());
            return;
        };
        if new.follows(old) {
            self.0.looks_to_wait.store(self.0.looks_of_lease, Ordering::SeqCst);
            log_failover(&self.0.opener, old, new);
        }
        *timeline = now;
    }

    /// Lets the lock count again, unless it is over or a failover was less than a lease ago.
    fn restore(&self) {
        let may_count = !self.is_over() && self.0.looks_to_wait.load(Ordering::SeqCst) == 0;
        if may_count && !self.0.held.swap(true, Ordering::SeqCst) {
            tracing::warn!(database = %self.0.opener.location, "the lock of the database is held again");
        }
    }

    /// Decrements the checks left after a failover.
    fn decrement_failover_wait(&self) {
        let less = |looks: u64| looks.checked_sub(1);
        // The update only fails if no checks are left.
        let _ = self.0.looks_to_wait.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less);
    }
}

/// Number of checks in one lease.
fn checks_per_lease(lease: Millis, every: Millis) -> u64 {
    lease.0.max(0).unsigned_abs().div_ceil(every.0.max(1).unsigned_abs())
}

fn run_lock_checks(probe: &AdvisoryLockProbe, ended: &Receiver<()>, every: Duration) {
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(every) {
        probe.decrement_failover_wait();
        probe.check_lock();
        if probe.is_over() {
            return;
        }
    }
}

/// Refuses a server that answers a COMMIT before a replica has it, if replication is required.
fn check_replication(
    opener: &DbConnectionManager,
    conn: &mut PgConnection,
) -> Result<(), DatabaseOwnershipError> {
    if !opener.require_sync {
        return Ok(());
    }
    let found = postgres::replication(conn).map_err(|error| unusable(opener, error))?;
    match found.is_synchronous() {
        true => Ok(()),
        false => Err(unusable(opener, UNREPLICATED)),
    }
}

/// A connection that holds the lock, and the timeline of its server.
fn acquire_lock(
    opener: &DbConnectionManager,
) -> Result<(PgConnection, Option<ServerTimeline>), DatabaseOwnershipError> {
    let conn = opener.connect().map_err(|error| unusable(opener, error))?;
    let DbConnection::Postgres(mut conn) = conn else {
        return Err(unusable(opener, "it is not a server"));
    };
    check_replication(opener, &mut conn)?;
    if postgres::try_acquire_owner_lock(&mut conn).map_err(|error| unusable(opener, error))? {
        let timeline = postgres::timeline(&mut conn);
        return Ok((conn, timeline));
    }
    let owner = postgres::owner(&mut conn).map_err(|error| unusable(opener, error))?;
    let (pid, host) = owner.unwrap_or_default();
    Err(DatabaseOwnershipError::Owned { location: opener.location.clone(), pid, host })
}

fn unusable(opener: &DbConnectionManager, cause: impl fmt::Display) -> DatabaseOwnershipError {
    DatabaseOwnershipError::Unusable {
        location: opener.location.clone(),
        cause: classify_outage(cause.to_string()),
    }
}
