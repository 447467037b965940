//! [`Ownership`] on a database: its lock, and an epoch in a row.

use std::time::Duration;

use async_trait::async_trait;
use entracte_application::failpoints::FailpointOperation;
use entracte_application::ports::{
    OwnerDescription, Ownership, OwnershipError, OwnershipRecord, StoreError, StoreOutage,
    WorkerProcessDescription, WorkerProcessRecord,
};
use entracte_domain::time::Timestamp;

use super::workspace_ownership::remove_expired;
use crate::connection::{ConnectionRole, DbConnection};
use crate::database::{Database, LOCK_LOST};
use crate::db_error::{DbError, classify_outage};
use crate::dialect::ServerTimeline;
use crate::error;
use crate::ownership::log_failover;
use crate::queries::{owner, workers};
use crate::writer::WriteJob;

/// Takes the lock before it begins an epoch, so that no other process begins one meanwhile.
pub(crate) struct DbOwnership(pub(crate) Database, pub(crate) OwnerDescription);

/// Begins the next epoch, unless worker processes have the database. A repetition skips a number, which is harmless.
struct BeginEpochJob {
    kind: OwnerDescription,
    since: Timestamp,
    /// The server's timeline in its stored form.
    timeline: Option<String>,
}

impl WriteJob for BeginEpochJob {
    type Answer = EpochClaim;

    const OPERATION: FailpointOperation = FailpointOperation::Own;

    fn run(&self, conn: &mut DbConnection) -> Result<EpochClaim, DbError> {
        remove_expired(conn, None, self.since)?;
        if let Some(process) = workers::all(conn)?.into_iter().next() {
            return Ok(EpochClaim::Owned(Box::new(process)));
        }
        let (pid, timeline) = (std::process::id(), self.timeline.as_deref());
        owner::begin_epoch(conn, &self.kind, pid, self.since, timeline).map(EpochClaim::Begun)
    }

    fn is_committed(&self, conn: &mut DbConnection, claim: &EpochClaim) -> Result<bool, DbError> {
        match claim {
            EpochClaim::Begun(epoch) => Ok(owner::latest(conn)?.is_some_and(|(latest, _)| latest == *epoch)),
            EpochClaim::Owned(_) => Ok(false),
        }
    }
}

/// The result of an attempt to begin an epoch.
enum EpochClaim {
    /// The epoch of this process.
    Begun(u64),
    /// This worker process uses the database.
    Owned(Box<WorkerProcessRecord>),
}

/// Requests ownership from the current owner. Idempotent.
struct RequestOwnershipJob(String);

impl WriteJob for RequestOwnershipJob {
    type Answer = ();

    const OPERATION: FailpointOperation = FailpointOperation::Own;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        owner::request_release(conn, &self.0)
    }

    fn is_committed(&self, _conn: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        Ok(false)
    }
}

#[async_trait]
impl Ownership for DbOwnership {
    async fn acquire(&self, now: Timestamp) -> Result<u64, OwnershipError> {
        let database = self.0.clone();
        let lock = tokio::task::spawn_blocking(move || database.try_own()).await;
        let lock = lock.map_err(|error| unavailable(error.to_string()))??;
        let timeline = lock.timeline();
        self.wait_after_failover(timeline.as_ref()).await?;
        let timeline = timeline.map(|timeline| timeline.to_stored_text());
        let begun = self.0.write(BeginEpochJob { kind: self.1.clone(), since: now, timeline }).await;
        let epoch = match begun.map_err(StoreError::from)? {
            EpochClaim::Begun(epoch) => epoch,
            EpochClaim::Owned(process) => return Err(self.owned_by_worker(&process)),
        };
        if !lock.is_held() {
            return Err(unavailable("the lock was lost while the epoch was counted".into()));
        }
        self.0.set_epoch_lock(epoch, lock);
        Ok(epoch)
    }

    async fn renew(&self, epoch: u64) -> Result<(), OwnershipError> {
        let database = self.0.clone();
        let looked =
            tokio::task::spawn_blocking(move || (database.check_file(), database.verify_epoch_lock(epoch)))
                .await;
        let (file, held) = looked.map_err(|error| unavailable(error.to_string()))?;
        if let Err(replaced) = file {
            self.0.release_epoch(epoch);
            return Err(self.lost(epoch, replaced.to_string()));
        }
        // The row is read after the lock: a process that owned the database while the lock was lost has begun an epoch
        // there. A process that held the lock only to copy or migrate has not.
        let latest = self.0.read(owner::latest).await?;
        if let Some((latest, holder)) = latest.filter(|(latest, _)| *latest != epoch) {
            // The lock is released with the epoch, so that the next owner finds it free.
            let database = self.0.clone();
            let released = tokio::task::spawn_blocking(move || database.release_epoch(epoch)).await;
            released.map_err(|error| unavailable(error.to_string()))?;
            return Err(self.lost(epoch, format!("{holder} took it (epoch {latest})")));
        }
        match held {
            Some(true) => Ok(()),
            Some(false) => Err(unavailable(LOCK_LOST.into())),
            None => Err(self.lost(epoch, "it was released".into())),
        }
    }

    fn release(&self, epoch: u64) {
        self.0.release_epoch(epoch);
    }

    async fn holder(&self) -> Result<Option<OwnershipRecord>, StoreError> {
        self.0.read(owner::holder).await
    }

    async fn request_release(&self, by: &str) -> Result<(), StoreError> {
        Ok(self.0.write(RequestOwnershipJob(by.to_owned())).await?)
    }
}

impl DbOwnership {
    /// Waits if a replica was promoted since the last epoch began: the owner on the old server may send until its lease
    /// ends.
    async fn wait_after_failover(&self, now: Option<&ServerTimeline>) -> Result<(), OwnershipError> {
        let old = self.0.read(owner::timeline).await?.as_deref().and_then(ServerTimeline::from_stored_text);
        if let (Some(old), Some(now)) = (old, now)
            && now.follows(&old)
        {
            let opener = self.0.opener(ConnectionRole::Owner);
            log_failover(&opener, &old, now);
            tokio::time::sleep(Duration::from_millis(opener.lease.0.max(0).unsigned_abs())).await;
        }
        Ok(())
    }

    fn owned_by_worker(&self, process: &WorkerProcessRecord) -> OwnershipError {
        let WorkerProcessDescription { owner, pid, .. } = &process.description;
        let holder = error::owner_saying(*pid, owner.host.as_deref()).to_string();
        OwnershipError::Owned { store: self.0.location().to_string(), holder }
    }

    fn lost(&self, epoch: u64, now: String) -> OwnershipError {
        OwnershipError::Lost { store: self.0.location().to_string(), epoch, now }
    }
}

fn unavailable(text: String) -> OwnershipError {
    OwnershipError::Store(StoreError::Unavailable(StoreOutage::from(text.as_str())))
}

impl From<error::DatabaseOwnershipError> for OwnershipError {
    fn from(error: error::DatabaseOwnershipError) -> Self {
        match error {
            error::DatabaseOwnershipError::Owned { location, pid, host } => OwnershipError::Owned {
                store: location.to_string(),
                holder: error::owner_saying(pid, host.as_deref()).to_string(),
            },
            // The fault is reported once, by its kind; this adds the system's message and the path.
            error::DatabaseOwnershipError::Io { path, source } => {
                let says = format!("{}: {source}", path.display());
                OwnershipError::Store(StoreError::Unavailable(classify_outage(says)))
            }
            error::DatabaseOwnershipError::Unusable { location, cause } => {
                let says = format!("{location}: {}", cause.says);
                OwnershipError::Store(StoreError::Unavailable(StoreOutage { says, ..cause }))
            }
        }
    }
}
