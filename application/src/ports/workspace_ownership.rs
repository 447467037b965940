use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::{Millis, Timestamp};

use super::{OwnerDescription, OwnershipError, OwnershipRecord, StoreError};

/// The number of a worker process. No other process ever gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerProcessId(pub i64);

/// The description a worker process stores when it enters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkerProcessDescription {
    /// Its kind, machine and address.
    pub owner: OwnerDescription,
    /// The process id on its machine.
    pub pid: Option<u32>,
    /// The version of its program.
    pub version: String,
    /// A digest of its configuration: processes with another one may work differently.
    pub configuration: String,
}

/// The stored record of a worker process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerProcessRecord {
    /// Its number.
    pub id: WorkerProcessId,
    /// The description it gave.
    pub description: WorkerProcessDescription,
    /// When it entered.
    pub since: Timestamp,
    /// The number of its heartbeats.
    pub beats: u64,
}

impl From<WorkerProcessRecord> for OwnershipRecord {
    /// The process as an owner, with its number as the epoch.
    fn from(process: WorkerProcessRecord) -> Self {
        let WorkerProcessDescription { owner: kind, pid, .. } = process.description;
        let epoch = u64::try_from(process.id.0).unwrap_or_default();
        Self { epoch, kind, pid, since: process.since, wanted_by: None }
    }
}

/// A stored heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerHeartbeat {
    /// Whether no earlier process is left: the first one does what only one process should do.
    pub is_first: bool,
}

/// The result of an attempt to acquire a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkspaceClaim {
    /// The process has the workspace, under this epoch.
    Acquired {
        /// Higher than every earlier epoch of the workspace, also of this process.
        epoch: u64,
    },
    /// Another process has the workspace.
    Owned,
    /// There is no such workspace yet. A commit creates it.
    Absent,
    /// The process has left or was removed. It acquires nothing any more.
    Removed,
}

/// The exclusive rights of several processes to handle the events of the workspaces of one store, each workspace by one
/// process at a time.
///
/// Contract: a process [enters](Self::enter), and its heartbeat keeps all its workspaces: as long as it beats, nobody
/// else gets one of them. A process that has not beaten for its lease is removed by whoever
/// [looks](Self::count_departures), and a removed process never returns: its next beat says so, and its workspaces are
/// free. Each acquisition of a workspace has a higher epoch than the one before, and from then on the store refuses
/// commits under an earlier one ([`CommitError::NotOwner`](super::CommitError::NotOwner)). As with [`Ownership`], this
/// fences writes only: a process sends nothing unless its last heartbeat is younger than its lease, by its own clocks.
///
/// A store has either one owner ([`Ownership`]) or worker processes: who comes second is refused.
///
/// `now` is the time of the caller. A store that several machines use has a clock of its own and ignores it.
///
/// [`Ownership`]: super::Ownership
///
/// ```
/// use std::sync::Arc;
///
/// use entracte_application::ports::{StoreError, WorkerProcessId, WorkspaceClaim, WorkspaceOwnership};
/// use entracte_domain::id::WorkspaceKey;
///
/// /// The epoch under which a process handles a workspace; `None` if it leaves it to another one.
/// async fn begin(
///     rights: Arc<dyn WorkspaceOwnership>,
///     process: WorkerProcessId,
///     workspace: &WorkspaceKey,
/// ) -> Result<Option<u64>, StoreError> {
///     match rights.acquire(process, workspace).await? {
///         WorkspaceClaim::Acquired { epoch } => Ok(Some(epoch)),
///         WorkspaceClaim::Owned | WorkspaceClaim::Absent | WorkspaceClaim::Removed => Ok(None),
///     }
/// }
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be used now, [`StoreError::Inconsistent`] when a row cannot be read.
/// A missing row is not an error. Whoever does not know whether it entered or acquired something tries again: an entry
/// without heartbeats ends by itself, and a process that acquires its own workspace gets a new epoch.
///
/// # Cancel safety
/// A dropped call has happened or not. What was acquired without an answer is released with its process.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait WorkspaceOwnership: Send + Sync {
    /// Adds a worker process, whose first heartbeat this is.
    ///
    /// # Errors
    /// [`OwnershipError::Owned`] while the store has an owner; [`OwnershipError::Store`] when it cannot be used now.
    async fn enter(
        &self,
        process: &WorkerProcessDescription,
        lease: Millis,
        now: Timestamp,
    ) -> Result<WorkerProcessId, OwnershipError>;

    /// Keeps all workspaces of a process for another `lease`. `None` if the process has left or was removed: this is
    /// final.
    async fn beat(
        &self,
        process: WorkerProcessId,
        lease: Millis,
        now: Timestamp,
    ) -> Result<Option<WorkerHeartbeat>, StoreError>;

    /// Removes a process; its workspaces are free immediately.
    async fn leave(&self, process: WorkerProcessId) -> Result<(), StoreError>;

    /// Acquires a workspace that is free, or of this process already. Never waits.
    async fn acquire(
        &self,
        process: WorkerProcessId,
        workspace: &WorkspaceKey,
    ) -> Result<WorkspaceClaim, StoreError>;

    /// Releases a workspace; does nothing if the process does not have it under this epoch.
    async fn release(
        &self,
        process: WorkerProcessId,
        workspace: &WorkspaceKey,
        epoch: u64,
    ) -> Result<(), StoreError>;

    /// Those of these workspaces that no other process has.
    async fn available(
        &self,
        process: WorkerProcessId,
        workspaces: Vec<WorkspaceKey>,
    ) -> Result<Vec<WorkspaceKey>, StoreError>;

    /// The process that has a workspace. It may have stopped within its lease.
    async fn holder(&self, workspace: &WorkspaceKey) -> Result<Option<WorkerProcessRecord>, StoreError>;

    /// All processes, in the order in which they entered.
    async fn processes(&self) -> Result<Vec<WorkerProcessRecord>, StoreError>;

    /// Removes the other processes that have not beaten for their lease, and returns how many processes have left or
    /// were removed since the store exists. A higher number than before means that workspaces became free. Must be cheap
    /// when there is nothing to remove: it is polled several times a second.
    async fn count_departures(&self, process: WorkerProcessId, now: Timestamp) -> Result<u64, StoreError>;
}
