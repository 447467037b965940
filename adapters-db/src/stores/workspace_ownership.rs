//! [`WorkspaceOwnership`] on a database: a row of each process, and its number in the rows of its workspaces.

use std::collections::BTreeSet;
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::failpoints::FailpointOperation;
use entracte_application::ports::{
    OwnershipError, StoreError, StoreOutage, WorkerHeartbeat, WorkerProcessDescription, WorkerProcessId,
    WorkerProcessRecord, WorkspaceClaim, WorkspaceOwnership,
};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::{Millis, Timestamp};

use crate::connection::DbConnection;
use crate::database::Database;
use crate::db_error::DbError;
use crate::dialect;
use crate::error::DatabaseOwnershipError;
use crate::ownership::DatabaseLock;
use crate::queries::{owner, workers, workspaces};
use crate::writer::WriteJob;

/// Attempts to get the lock of the database, and the pause between them: another process that enters holds it for a
/// moment.
const ENTRY_ATTEMPTS: u32 = 50;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(10);

/// The rights of the worker processes of a database.
pub(crate) struct DbWorkspaceOwnership(pub(crate) Database);

#[async_trait]
impl WorkspaceOwnership for DbWorkspaceOwnership {
    async fn enter(
        &self,
        process: &WorkerProcessDescription,
        lease: Millis,
        now: Timestamp,
    ) -> Result<WorkerProcessId, OwnershipError> {
        // An owner of the whole database holds the lock, and looks for processes after it got it.
        let lock = self.lock_for_entry().await?;
        let entered = self.0.write(EnterJob { process: process.clone(), lease, now }).await;
        // The release makes a request to the server.
        let released = tokio::task::spawn_blocking(move || drop(lock)).await;
        let id = entered.map_err(StoreError::from)?;
        released.map_err(|error| unavailable(&error.to_string()))?;
        Ok(id)
    }

    async fn beat(
        &self,
        process: WorkerProcessId,
        lease: Millis,
        now: Timestamp,
    ) -> Result<Option<WorkerHeartbeat>, StoreError> {
        Ok(self.0.write(BeatJob { process, lease, now }).await?)
    }

    async fn leave(&self, process: WorkerProcessId) -> Result<(), StoreError> {
        Ok(self.0.write(LeaveJob(process)).await?)
    }

    async fn acquire(
        &self,
        process: WorkerProcessId,
        workspace: &WorkspaceKey,
    ) -> Result<WorkspaceClaim, StoreError> {
        Ok(self.0.write(AcquireJob { process, workspace: workspace.clone() }).await?)
    }

    async fn release(
        &self,
        process: WorkerProcessId,
        workspace: &WorkspaceKey,
        epoch: u64,
    ) -> Result<(), StoreError> {
        Ok(self.0.write(ReleaseJob { process, workspace: workspace.clone(), epoch }).await?)
    }

    async fn available(
        &self,
        process: WorkerProcessId,
        mut keys: Vec<WorkspaceKey>,
    ) -> Result<Vec<WorkspaceKey>, StoreError> {
        let read = move |conn: &mut DbConnection| -> Result<Vec<WorkspaceKey>, DbError> {
            let owners = workspaces::owners(conn, &keys)?;
            let others: BTreeSet<WorkerProcessId> =
                workers::all(conn)?.into_iter().map(|record| record.id).filter(|id| *id != process).collect();
            let taken: BTreeSet<WorkspaceKey> =
                owners.into_iter().filter(|(_, id)| others.contains(id)).map(|(key, _)| key).collect();
            keys.retain(|key| !taken.contains(key));
            Ok(keys)
        };
        self.0.read(read).await
    }

    async fn holder(&self, workspace: &WorkspaceKey) -> Result<Option<WorkerProcessRecord>, StoreError> {
        let key = workspace.clone();
        let read = move |conn: &mut DbConnection| -> Result<Option<WorkerProcessRecord>, DbError> {
            match workspaces::owner(conn, &key)?.and_then(|row| row.process) {
                Some(id) => workers::find(conn, id),
                None => Ok(None),
            }
        };
        self.0.read(read).await
    }

    async fn processes(&self) -> Result<Vec<WorkerProcessRecord>, StoreError> {
        self.0.read(workers::all).await
    }

    async fn count_departures(&self, process: WorkerProcessId, now: Timestamp) -> Result<u64, StoreError> {
        let look = move |conn: &mut DbConnection| -> Result<(bool, u64), DbError> {
            let at = dialect::clock(conn, now)?;
            Ok((workers::has_expired(conn, process, at)?, owner::departures(conn)?))
        };
        match self.0.read(look).await? {
            (true, _) => Ok(self.0.write(RemoveExpiredJob { process, now }).await?),
            (false, departures) => Ok(departures),
        }
    }
}

impl DbWorkspaceOwnership {
    async fn lock_for_entry(&self) -> Result<DatabaseLock, OwnershipError> {
        let mut attempts = 0;
        loop {
            let database = self.0.clone();
            let taken = tokio::task::spawn_blocking(move || database.try_own()).await;
            attempts += 1;
            match taken.map_err(|error| unavailable(&error.to_string()))? {
                Err(DatabaseOwnershipError::Owned { .. }) if attempts < ENTRY_ATTEMPTS => {
                    tokio::time::sleep(BETWEEN_ATTEMPTS).await;
                }
                taken => return Ok(taken?),
            }
        }
    }
}

fn unavailable(text: &str) -> OwnershipError {
    OwnershipError::Store(StoreError::Unavailable(StoreOutage::from(text)))
}

/// Adds a process. A repetition adds another one, which does not beat and is removed after its lease.
struct EnterJob {
    process: WorkerProcessDescription,
    lease: Millis,
    now: Timestamp,
}

impl WriteJob for EnterJob {
    type Answer = WorkerProcessId;

    const OPERATION: FailpointOperation = FailpointOperation::Own;

    fn run(&self, conn: &mut DbConnection) -> Result<WorkerProcessId, DbError> {
        owner::insert_if_absent(conn)?;
        let until = dialect::clock(conn, self.now)?.plus(self.lease);
        workers::insert(conn, &self.process, self.now, until)
    }

    fn is_committed(&self, conn: &mut DbConnection, id: &WorkerProcessId) -> Result<bool, DbError> {
        Ok(workers::find(conn, *id)?.is_some_and(|record| record.description == self.process))
    }
}

/// Moves the end of a lease. Idempotent.
struct BeatJob {
    process: WorkerProcessId,
    lease: Millis,
    now: Timestamp,
}

impl WriteJob for BeatJob {
    type Answer = Option<WorkerHeartbeat>;

    const OPERATION: FailpointOperation = FailpointOperation::Own;

    fn run(&self, conn: &mut DbConnection) -> Result<Option<WorkerHeartbeat>, DbError> {
        let until = dialect::clock(conn, self.now)?.plus(self.lease);
        if !workers::beat(conn, self.process, until)? {
            return Ok(None);
        }
        Ok(Some(WorkerHeartbeat { is_first: workers::first(conn)? == Some(self.process) }))
    }

    fn is_committed(&self, _: &mut DbConnection, beat: &Option<WorkerHeartbeat>) -> Result<bool, DbError> {
        Ok(beat.is_none())
    }
}

/// Removes a process. Idempotent.
struct LeaveJob(WorkerProcessId);

impl WriteJob for LeaveJob {
    type Answer = ();

    const OPERATION: FailpointOperation = FailpointOperation::Own;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        match workers::delete(conn, self.0)? {
            0 => Ok(()),
            _ => owner::add_departures(conn, 1),
        }
    }

    fn is_committed(&self, _: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        Ok(false)
    }
}

/// Acquires a workspace. A repetition gets another epoch.
struct AcquireJob {
    process: WorkerProcessId,
    workspace: WorkspaceKey,
}

impl WriteJob for AcquireJob {
    type Answer = WorkspaceClaim;

    const OPERATION: FailpointOperation = FailpointOperation::Own;

    fn run(&self, conn: &mut DbConnection) -> Result<WorkspaceClaim, DbError> {
        // Before its workspaces are looked at: the process cannot be removed until this is committed.
        if !workers::lock(conn, self.process)? {
            return Ok(WorkspaceClaim::Removed);
        }
        let Some(row) = workspaces::owner(conn, &self.workspace)? else { return Ok(WorkspaceClaim::Absent) };
        let other = row.process.filter(|id| *id != self.process);
        if let Some(other) = other
            && workers::find(conn, other)?.is_some()
        {
            return Ok(WorkspaceClaim::Owned);
        }
        let epoch = owner::begin_worker_epoch(conn, row.epoch)?;
        match workspaces::set_owner(conn, row, self.process, epoch)? {
            true => Ok(WorkspaceClaim::Acquired { epoch }),
            // Another process was faster.
            false => Ok(WorkspaceClaim::Owned),
        }
    }

    fn is_committed(&self, conn: &mut DbConnection, claim: &WorkspaceClaim) -> Result<bool, DbError> {
        match *claim {
            WorkspaceClaim::Acquired { epoch } => {
                workspaces::is_owned_by(conn, &self.workspace, self.process, epoch)
            }
            WorkspaceClaim::Owned | WorkspaceClaim::Absent | WorkspaceClaim::Removed => Ok(true),
        }
    }
}

/// Releases a workspace. Idempotent.
struct ReleaseJob {
    process: WorkerProcessId,
    workspace: WorkspaceKey,
    epoch: u64,
}

impl WriteJob for ReleaseJob {
    type Answer = ();

    const OPERATION: FailpointOperation = FailpointOperation::Own;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        workspaces::clear_owner(conn, &self.workspace, self.process, self.epoch)
    }

    fn is_committed(&self, _: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        Ok(false)
    }
}

/// Removes the other processes whose lease has ended; returns how many have left or were removed so far. Idempotent.
struct RemoveExpiredJob {
    process: WorkerProcessId,
    now: Timestamp,
}

impl WriteJob for RemoveExpiredJob {
    type Answer = u64;

    const OPERATION: FailpointOperation = FailpointOperation::Own;

    fn run(&self, conn: &mut DbConnection) -> Result<u64, DbError> {
        remove_expired(conn, Some(self.process), self.now)?;
        owner::departures(conn)
    }

    fn is_committed(&self, _: &mut DbConnection, _: &u64) -> Result<bool, DbError> {
        Ok(false)
    }
}

/// Removes the processes whose lease has ended, but for the one that looks.
pub(super) fn remove_expired(
    conn: &mut DbConnection,
    looking: Option<WorkerProcessId>,
    now: Timestamp,
) -> Result<(), DbError> {
    let at = dialect::clock(conn, now)?;
    match i64::try_from(workers::delete_expired(conn, looking, at)?).unwrap_or(i64::MAX) {
        0 => Ok(()),
        removed => owner::add_departures(conn, removed),
    }
}
