//! [`Ownership`] on a database: the right is its lock, and its epoch a row.

use async_trait::async_trait;
use entracte_application::failpoints::Operation;
use entracte_application::ports::{Outage, Ownership, OwnershipError, StoreError};
use entracte_domain::time::Timestamp;

use crate::connection::DbConnection;
use crate::database::{Database, LOCK_LOST};
use crate::db_error::{DbError, outage};
use crate::error;
use crate::queries::owner;
use crate::writer::Work;

/// Takes the lock first, then counts the epoch: no other process counts meanwhile.
pub(crate) struct DbOwnership(pub(crate) Database);

/// The next epoch begins. Done twice it skips a number, which does no harm.
struct BeginEpoch {
    holder: String,
    since: Timestamp,
}

impl Work for BeginEpoch {
    type Answer = u64;

    const OPERATION: Operation = Operation::Own;

    fn run(&self, conn: &mut DbConnection) -> Result<u64, DbError> {
        owner::begin_epoch(conn, &self.holder, self.since)
    }

    fn landed(&self, conn: &mut DbConnection, epoch: &u64) -> Result<bool, DbError> {
        Ok(owner::latest(conn)?.is_some_and(|(latest, _)| latest == *epoch))
    }
}

#[async_trait]
impl Ownership for DbOwnership {
    async fn acquire(&self, now: Timestamp) -> Result<u64, OwnershipError> {
        let database = self.0.clone();
        let lock = tokio::task::spawn_blocking(move || database.try_own()).await;
        let lock = lock.map_err(|error| unavailable(error.to_string()))??;
        let holder = format!("process {}", std::process::id());
        let begun = self.0.write(BeginEpoch { holder, since: now }).await;
        let epoch = begun.map_err(StoreError::from)?;
        self.0.hold(epoch, lock);
        Ok(epoch)
    }

    async fn renew(&self, epoch: u64) -> Result<(), OwnershipError> {
        let database = self.0.clone();
        let held = tokio::task::spawn_blocking(move || database.still_holds(epoch)).await;
        let held = held.map_err(|error| unavailable(error.to_string()))?;
        // The row after the lock: a process that owned the database while the lock was lost counted there. One that had the lock
        // for a while to copy or to migrate did not.
        let latest = self.0.read(owner::latest).await?;
        if let Some((latest, holder)) = latest.filter(|(latest, _)| *latest != epoch) {
            return Err(self.lost(epoch, format!("{holder} took it (epoch {latest})")));
        }
        match held {
            Some(true) => Ok(()),
            Some(false) => Err(unavailable(LOCK_LOST.into())),
            None => Err(self.lost(epoch, "it was released".into())),
        }
    }

    fn release(&self, epoch: u64) {
        self.0.let_go(epoch);
    }
}

impl DbOwnership {
    fn lost(&self, epoch: u64, now: String) -> OwnershipError {
        OwnershipError::Lost { store: self.0.location().to_string(), epoch, now }
    }
}

fn unavailable(text: String) -> OwnershipError {
    OwnershipError::Store(StoreError::Unavailable(Outage::from(text.as_str())))
}

impl From<error::OwnershipError> for OwnershipError {
    fn from(error: error::OwnershipError) -> Self {
        match error {
            error::OwnershipError::Owned { location, pid, host } => OwnershipError::Owned {
                store: location.to_string(),
                holder: error::owner(pid, host.as_deref()),
            },
            error @ (error::OwnershipError::Io { .. } | error::OwnershipError::Unusable { .. }) => {
                OwnershipError::Store(StoreError::Unavailable(outage(error.to_string())))
            }
        }
    }
}
