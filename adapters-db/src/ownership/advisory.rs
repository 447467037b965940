//! A lock of the server, on a connection of its own. It is lost with that connection; a thread asks the server from
//! time to time whether it is there, and takes the lock again after it was lost, unless someone else has it then.
//! What was decided meanwhile does no harm: versions are compared at every commit.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::Duration;

use diesel::PgConnection;
use diesel::r2d2::{ManageConnection, R2D2Connection};
use entracte_domain::time::Millis;

use crate::connection::DbConnection;
use crate::db_error::outage;
use crate::dialect::postgres;
use crate::error::OwnershipError;
use crate::opener::Opener;

/// The lock; given back when dropped.
pub(super) struct AdvisoryLock {
    probe: Probe,
    /// Dropped to end the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Says whether the lock is held.
#[derive(Clone)]
pub(crate) struct Probe(Arc<State>);

struct State {
    opener: Opener,
    /// None while the lock is lost.
    conn: Mutex<Option<PgConnection>>,
    held: AtomicBool,
}

impl AdvisoryLock {
    /// Takes the lock of the database that `opener` opens, or says who has it.
    pub(super) fn take(opener: Opener, every: Millis) -> Result<Self, OwnershipError> {
        let conn = lock(&opener)?;
        let state = State { opener, conn: Mutex::new(Some(conn)), held: AtomicBool::new(true) };
        let probe = Probe(Arc::new(state));
        let (end, ended) = channel();
        let looks = probe.clone();
        let every = Duration::from_millis(every.0.max(1).unsigned_abs());
        let thread = std::thread::Builder::new()
            .name("entracte-owner".to_owned())
            .spawn(move || look_after(&looks, &ended, every))
            .map_err(|error| unusable(&probe.0.opener, error))?;
        Ok(Self { probe, end: Some(end), thread: Some(thread) })
    }

    /// For those who must know whether it is held.
    pub(super) fn probe(&self) -> Probe {
        self.probe.clone()
    }
}

impl Drop for AdvisoryLock {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that keeps ownership of the database panicked");
        }
        self.probe.give_back();
    }
}

impl fmt::Debug for AdvisoryLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdvisoryLock").field("held", &self.probe.0.held).finish_non_exhaustive()
    }
}

impl Probe {
    /// Whether the lock is held, as far as the socket of its connection shows without a question to the server.
    pub(super) fn is_held(&self) -> bool {
        let closed = match self.0.conn.try_lock() {
            Ok(mut conn) => conn.as_mut().is_none_or(|conn| postgres::notices(conn).is_err()),
            // It is being looked after at this moment.
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Poisoned(_)) => true,
        };
        if closed {
            self.lose();
        }
        self.0.held.load(Ordering::SeqCst)
    }

    /// Tells those who still have a probe.
    fn give_back(&self) {
        self.0.held.store(false, Ordering::SeqCst);
        let conn = self.0.conn.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut conn) = conn
            && let Err(error) = postgres::disown(&mut conn)
        {
            tracing::debug!(%error, "ownership of the database ends with its connection");
        }
    }

    fn lose(&self) {
        if self.0.held.swap(false, Ordering::SeqCst) {
            tracing::warn!(database = %self.0.opener.location, "lost ownership of the database");
        }
        *self.0.conn.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Asks the server; takes the lock again when it was lost.
    pub(super) fn look(&self) {
        let mut conn = self.0.conn.lock().unwrap_or_else(PoisonError::into_inner);
        let answers = conn.as_mut().is_some_and(|conn| conn.ping().is_ok());
        if answers {
            return;
        }
        *conn = None;
        if self.0.held.swap(false, Ordering::SeqCst) {
            tracing::warn!(database = %self.0.opener.location, "lost ownership of the database");
        }
        match lock(&self.0.opener) {
            Ok(again) => {
                *conn = Some(again);
                self.0.held.store(true, Ordering::SeqCst);
                tracing::warn!(database = %self.0.opener.location, "ownership of the database is restored");
            }
            Err(error) => tracing::debug!(%error, "ownership of the database cannot be restored"),
        }
    }
}

fn look_after(probe: &Probe, ended: &Receiver<()>, every: Duration) {
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(every) {
        probe.look();
    }
}

/// A connection that has the lock.
fn lock(opener: &Opener) -> Result<PgConnection, OwnershipError> {
    let conn = opener.connect().map_err(|error| unusable(opener, error))?;
    let DbConnection::Postgres(mut conn) = conn else {
        return Err(unusable(opener, "it is not a server"));
    };
    if postgres::try_own(&mut conn).map_err(|error| unusable(opener, error))? {
        return Ok(conn);
    }
    let (pid, host) = postgres::owner(&mut conn).map_err(|error| unusable(opener, error))?;
    Err(OwnershipError::Owned { location: opener.location.clone(), pid, host })
}

fn unusable(opener: &Opener, cause: impl fmt::Display) -> OwnershipError {
    OwnershipError::Unusable { location: opener.location.clone(), cause: outage(cause.to_string()) }
}
