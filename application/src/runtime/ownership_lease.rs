//! The exclusive right of this runtime to handle events: of a whole store, of a process among several, or of one
//! workspace of such a process. All are valid as long as the lease of the process is.

use std::sync::{Arc, Weak};

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;
use tokio::sync::watch;

use super::process_lease::{HeldRight, ProcessLease};
use crate::ports::{
    Clock, Ownership, OwnershipError, StoreError, WorkerProcessDescription, WorkspaceClaim,
    WorkspaceOwnership,
};
use crate::settings::RuntimeSettings;

/// The right to handle events. Only [`OwnershipLease::acquire`] and [`OwnershipLease::enter`] create one; it is released
/// on drop.
pub struct OwnershipLease {
    process: Arc<ProcessLease>,
    /// The workspace it is limited to; `None` if it is the right of the process.
    workspace: Option<WorkspaceRight>,
}

/// The right of a process to one workspace.
struct WorkspaceRight {
    key: WorkspaceKey,
    epoch: u64,
    acquired_at: Timestamp,
    is_lost: watch::Sender<bool>,
}

/// Reports whether a runtime still has its right. Clones are cheap and keep nothing alive.
#[derive(Clone, Debug)]
pub struct OwnershipStatus(Weak<ProcessLease>);

impl OwnershipStatus {
    /// The epoch of the runtime, or its number among several processes; `None` once its right is over.
    pub fn epoch(&self) -> Option<u64> {
        self.0.upgrade().filter(|process| !process.is_lost()).map(|process| process.epoch())
    }

    /// Whether its right is not over, and the heartbeat of one of several processes is not late.
    pub fn is_valid(&self) -> bool {
        self.0.upgrade().is_some_and(|process| process.is_valid())
    }

    /// Whether other processes may handle workspaces of the same store.
    pub fn is_shared(&self) -> bool {
        self.0.upgrade().is_some_and(|process| matches!(process.held(), HeldRight::Workspaces(..)))
    }

    /// Whether its process does what only one process of a store should do.
    pub fn is_leading(&self) -> bool {
        self.0.upgrade().is_some_and(|process| process.is_leading())
    }
}

impl OwnershipLease {
    /// Acquires ownership of a store.
    ///
    /// # Errors
    /// [`OwnershipError::Owned`] while another owner holds it.
    pub async fn acquire(
        ownership: Arc<dyn Ownership>,
        clock: Arc<dyn Clock>,
        settings: &RuntimeSettings,
    ) -> Result<Self, OwnershipError> {
        ProcessLease::acquire_store(ownership, clock, settings).await.map(Self::of_process)
    }

    /// Enters a store as one of several processes, each of which handles the workspaces that it acquires.
    ///
    /// # Errors
    /// [`OwnershipError::Owned`] while the store has an owner.
    pub async fn enter(
        rights: Arc<dyn WorkspaceOwnership>,
        process: &WorkerProcessDescription,
        clock: Arc<dyn Clock>,
        settings: &RuntimeSettings,
    ) -> Result<Self, OwnershipError> {
        ProcessLease::enter(rights, process, clock, settings).await.map(Self::of_process)
    }

    fn of_process(process: ProcessLease) -> Self {
        Self { process: Arc::new(process), workspace: None }
    }

    /// The epoch of its commits: higher than that of every previous owner. Among several processes each workspace has an
    /// epoch of its own, and this is the number of the process.
    pub fn epoch(&self) -> u64 {
        self.workspace.as_ref().map_or_else(|| self.process.epoch(), |right| right.epoch)
    }

    /// When this process acquired the workspace; `None` if it owns the whole store.
    pub(super) fn acquired_at(&self) -> Option<Timestamp> {
        self.workspace.as_ref().map(|right| right.acquired_at)
    }

    /// A handle that reports whether its process still has its right.
    pub(super) fn status(&self) -> OwnershipStatus {
        OwnershipStatus(Arc::downgrade(&self.process))
    }

    /// Whether the right is over.
    pub fn is_lost(&self) -> bool {
        self.process.is_lost() || self.workspace.as_ref().is_some_and(|right| *right.is_lost.borrow())
    }

    /// Whether other processes may handle workspaces of the same store.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self.process.held(), HeldRight::Workspaces(..))
    }

    /// Whether this process does what only one process of a store should do.
    pub(super) fn is_leading(&self) -> bool {
        self.process.is_leading()
    }

    /// Whether the process stops, or the right is over: nothing new starts.
    pub(super) fn is_leaving(&self) -> bool {
        self.process.is_leaving() || self.is_lost()
    }

    /// Begins the shutdown: from now on nothing new starts.
    pub(super) fn begin_shutdown(&self) {
        self.process.begin_shutdown();
    }

    /// Whether something may be sent now ([`ProcessLease::may_send`]). `false` is final.
    pub(super) async fn may_send(&self) -> bool {
        !self.is_lost() && self.process.may_send().await && !self.is_lost()
    }

    /// Checks that something may be committed now ([`ProcessLease::ensure_may_commit`]).
    pub(super) async fn ensure_may_commit(&self) -> Result<(), OwnershipError> {
        self.process.ensure_may_commit().await
    }

    /// Verifies the right of the process and restarts its lease.
    pub(super) async fn renew(&self) -> Result<(), OwnershipError> {
        self.process.renew().await
    }

    /// Renews the lease of the process at its interval until its right is over.
    pub(super) async fn run_renewal(&self) {
        self.process.run_renewal().await;
    }

    /// Records that another process took over.
    pub(super) fn mark_lost(&self, why: &str) {
        match &self.workspace {
            None => self.process.mark_lost(why),
            Some(right) => {
                if !right.is_lost.send_replace(true) {
                    let (workspace, epoch) = (&right.key, right.epoch);
                    tracing::error!(%workspace, epoch, why, "another process has the workspace; it stops here");
                }
            }
        }
    }

    /// The error for callers after the right ended.
    pub(super) fn lost_error(&self) -> OwnershipError {
        self.process.lost_error("it was given up")
    }

    /// Ends the right of the process ([`ProcessLease::release`]).
    pub(super) fn release(&self) {
        self.process.release();
    }

    /// Ends the right of the process, and gives everything back now ([`ProcessLease::leave`]).
    pub(super) async fn leave(&self) -> Result<(), StoreError> {
        self.process.leave().await
    }

    /// Returns when the right is over.
    pub(super) async fn wait_until_lost(&self) {
        let Some(right) = &self.workspace else { return self.process.wait_until_lost().await };
        let mut is_lost = right.is_lost.subscribe();
        let workspace = async move {
            // The sender cannot be dropped before this ends: `self` is borrowed.
            let _ = is_lost.wait_for(|is_lost| *is_lost).await;
        };
        tokio::select! {
            () = self.process.wait_until_lost() => {}
            () = workspace => {}
        }
    }

    /// Returns when nothing new starts any more.
    pub(super) async fn wait_until_shutdown(&self) {
        self.process.wait_until_shutdown().await;
    }
}

/// The result of acquiring a workspace for a process.
pub(super) enum WorkspaceAcquisition {
    /// The right to it.
    Acquired(Arc<OwnershipLease>),
    /// Another process has it.
    Owned,
    /// There is no such workspace yet.
    Absent,
}

impl OwnershipLease {
    /// Acquires a workspace for the process. An owner of the whole store has it already.
    ///
    /// # Errors
    /// When the store cannot be used now.
    pub(super) async fn acquire_workspace(
        self: &Arc<Self>,
        key: &WorkspaceKey,
    ) -> Result<WorkspaceAcquisition, StoreError> {
        let HeldRight::Workspaces(rights, id) = self.process.held() else {
            return Ok(WorkspaceAcquisition::Acquired(self.clone()));
        };
        match rights.acquire(*id, key).await? {
            WorkspaceClaim::Acquired { epoch } => {
                let (acquired_at, is_lost) = (self.process.now(), watch::Sender::new(false));
                let right = WorkspaceRight { key: key.clone(), epoch, acquired_at, is_lost };
                let lease = Self { process: self.process.clone(), workspace: Some(right) };
                Ok(WorkspaceAcquisition::Acquired(Arc::new(lease)))
            }
            WorkspaceClaim::Owned => Ok(WorkspaceAcquisition::Owned),
            WorkspaceClaim::Absent => Ok(WorkspaceAcquisition::Absent),
            WorkspaceClaim::Removed => {
                self.process.mark_lost("it did not beat for its lease, and was removed");
                Ok(WorkspaceAcquisition::Owned)
            }
        }
    }

    /// Gives a workspace back to all processes: from now on nothing is committed or sent under this right.
    pub(super) async fn release_workspace(&self) {
        let (Some(right), HeldRight::Workspaces(rights, id)) = (&self.workspace, self.process.held()) else {
            return;
        };
        right.is_lost.send_replace(true);
        if let Err(error) = rights.release(*id, &right.key, right.epoch).await {
            tracing::warn!(workspace = %right.key, %error, "the workspace could not be given back");
        }
    }

    /// Those of these workspaces that no other process has.
    ///
    /// # Errors
    /// When the store cannot be read now.
    pub(super) async fn available(&self, keys: Vec<WorkspaceKey>) -> Result<Vec<WorkspaceKey>, StoreError> {
        match self.process.held() {
            HeldRight::Workspaces(rights, id) if !keys.is_empty() => rights.available(*id, keys).await,
            HeldRight::Workspaces(..) | HeldRight::Store(_) => Ok(keys),
        }
    }

    /// How many processes have left or were removed so far, after the others were removed whose lease has ended.
    ///
    /// # Errors
    /// When the store cannot be used now.
    pub(super) async fn count_departures(&self) -> Result<u64, StoreError> {
        match self.process.held() {
            HeldRight::Workspaces(rights, id) => rights.count_departures(*id, self.process.now()).await,
            HeldRight::Store(_) => Ok(0),
        }
    }
}
