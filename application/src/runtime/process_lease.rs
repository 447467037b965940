//! The right of this process to handle events, with its lease: it owns the whole store, or works on it beside other
//! processes.
//!
//! Epochs protect writes: the store refuses the commits of a process that was replaced. They do not protect sends. So
//! before anything is sent the process checks its lease: its right was verified within `runtime.lease` minus
//! `runtime.lease_margin`. A process that was frozen for longer verifies first, and if another one took over meanwhile
//! it never sends anything under this right. It releases what it holds, and may begin again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use entracte_domain::time::{Millis, Timestamp};
use tokio::sync::watch;

use super::dual_clock::{AGAIN, DualClockInstant};
use super::lock::lock;
use crate::ports::{
    Clock, Ownership, OwnershipError, StoreError, WorkerProcessDescription, WorkerProcessId,
    WorkspaceOwnership,
};
use crate::settings::RuntimeSettings;

/// The right of this process, until it is lost or released.
pub(super) struct ProcessLease {
    held: HeldRight,
    clock: Arc<dyn Clock>,
    epoch: u64,
    /// How long a heartbeat counts for other processes.
    lease: Millis,
    /// How long after a verification something may be sent.
    term: Millis,
    /// Interval of the verification, whether or not something is sent.
    every: Millis,
    verified: Mutex<DualClockInstant>,
    /// Whether no process that entered earlier is left, by the last heartbeat.
    is_first: AtomicBool,
    state: watch::Sender<LeaseState>,
}

/// What a process has a right to.
pub(super) enum HeldRight {
    /// The whole store.
    Store(Arc<dyn Ownership>),
    /// The workspaces that it acquires, beside other processes.
    Workspaces(Arc<dyn WorkspaceOwnership>, WorkerProcessId),
}

/// State of a right. It only moves forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeaseState {
    /// The right is held.
    Whole,
    /// The process stops: work under way may end and is committed, and nothing new starts.
    Leaving,
    /// Another process took over, or the right was released.
    Over,
}

impl ProcessLease {
    /// Acquires ownership of a store.
    pub(super) async fn acquire_store(
        ownership: Arc<dyn Ownership>,
        clock: Arc<dyn Clock>,
        settings: &RuntimeSettings,
    ) -> Result<Self, OwnershipError> {
        // Taken before the request: the answer is older than the moment at which it is read.
        let asked = DualClockInstant::now(&*clock);
        let epoch = ownership.acquire(clock.now()).await?;
        Ok(Self::new(HeldRight::Store(ownership), epoch, asked, clock, settings))
    }

    /// Enters a store as one of several processes.
    pub(super) async fn enter(
        rights: Arc<dyn WorkspaceOwnership>,
        process: &WorkerProcessDescription,
        clock: Arc<dyn Clock>,
        settings: &RuntimeSettings,
    ) -> Result<Self, OwnershipError> {
        let asked = DualClockInstant::now(&*clock);
        let id = rights.enter(process, settings.lease, clock.now()).await?;
        let number = u64::try_from(id.0).unwrap_or_default();
        Ok(Self::new(HeldRight::Workspaces(rights, id), number, asked, clock, settings))
    }

    fn new(
        held: HeldRight,
        epoch: u64,
        asked: DualClockInstant,
        clock: Arc<dyn Clock>,
        settings: &RuntimeSettings,
    ) -> Self {
        Self {
            held,
            clock,
            epoch,
            lease: settings.lease,
            term: Millis(settings.lease.0.saturating_sub(settings.lease_margin.0).max(0)),
            every: Millis((settings.lease.0 / 3).max(1)),
            verified: Mutex::new(asked),
            is_first: AtomicBool::new(false),
            state: watch::Sender::new(LeaseState::Whole),
        }
    }

    /// What the process has a right to.
    pub(super) fn held(&self) -> &HeldRight {
        &self.held
    }

    /// The epoch of an owner; the number of one of several processes.
    pub(super) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether the right is over.
    pub(super) fn is_lost(&self) -> bool {
        *self.state.borrow() == LeaseState::Over
    }

    /// Whether the process stops, or its right is over: nothing new starts.
    pub(super) fn is_leaving(&self) -> bool {
        *self.state.borrow() != LeaseState::Whole
    }

    /// Whether this process does what only one process of a store should do: it is the owner, or the first of several.
    pub(super) fn is_leading(&self) -> bool {
        match self.held {
            HeldRight::Store(_) => !self.is_lost(),
            HeldRight::Workspaces(..) => self.is_valid() && self.is_first.load(Ordering::SeqCst),
        }
    }

    /// Whether the right is not over, and the heartbeat of one of several processes is not late.
    pub(super) fn is_valid(&self) -> bool {
        match self.held {
            HeldRight::Store(_) => !self.is_lost(),
            HeldRight::Workspaces(..) => !self.is_lost() && self.is_within_lease(),
        }
    }

    /// Begins the shutdown: from now on nothing new starts.
    pub(super) fn begin_shutdown(&self) {
        self.state.send_if_modified(|state| {
            let is_whole = *state == LeaseState::Whole;
            if is_whole {
                *state = LeaseState::Leaving;
            }
            is_whole
        });
    }

    /// Whether something may be sent now. After the lease expired, the right is verified first; while that is
    /// impossible, nothing is sent. `false` is final.
    pub(super) async fn may_send(&self) -> bool {
        loop {
            if self.is_lost() {
                return false;
            }
            if self.is_within_lease() {
                return true;
            }
            match self.renew().await {
                // Once verified, sending is allowed, however short the lease is.
                Ok(()) => return !self.is_lost(),
                Err(OwnershipError::Store(error)) => {
                    tracing::warn!(%error, "nothing is sent until it is known who owns the database");
                    self.clock.sleep(AGAIN).await;
                }
                Err(OwnershipError::Lost { .. } | OwnershipError::Owned { .. }) => return false,
            }
        }
    }

    /// Checks that something may be committed now. After the lease expired, the right is verified once first, because
    /// the epoch stops the commits of a lost owner only in workspaces that its successor has written.
    pub(super) async fn ensure_may_commit(&self) -> Result<(), OwnershipError> {
        if self.is_within_lease() { Ok(()) } else { self.renew().await }
    }

    fn is_within_lease(&self) -> bool {
        lock(&self.verified).age(&*self.clock) < self.term
    }

    /// Verifies the right and restarts the lease.
    pub(super) async fn renew(&self) -> Result<(), OwnershipError> {
        let asked = DualClockInstant::now(&*self.clock);
        match self.verify().await {
            Ok(()) => {
                *lock(&self.verified) = asked;
                Ok(())
            }
            Err(error) => {
                if let OwnershipError::Lost { .. } | OwnershipError::Owned { .. } = &error {
                    self.mark_lost(&error.to_string());
                }
                Err(error)
            }
        }
    }

    async fn verify(&self) -> Result<(), OwnershipError> {
        match &self.held {
            HeldRight::Store(ownership) => ownership.renew(self.epoch).await,
            HeldRight::Workspaces(rights, id) => {
                match rights.beat(*id, self.lease, self.clock.now()).await? {
                    Some(beat) => {
                        self.is_first.store(beat.is_first, Ordering::SeqCst);
                        Ok(())
                    }
                    None => Err(self.lost_error("it did not beat for its lease, and was removed")),
                }
            }
        }
    }

    /// Renews the lease at its interval until the right is over.
    pub(super) async fn run_renewal(&self) {
        loop {
            tokio::select! {
                () = self.wait_until_lost() => return,
                () = self.clock.sleep(self.every) => {
                    if let Err(OwnershipError::Store(error)) = self.renew().await {
                        tracing::warn!(%error, "ownership of the database could not be verified");
                    }
                }
            }
        }
    }

    /// Records that another process took over, and releases immediately what it waits for.
    pub(super) fn mark_lost(&self, why: &str) {
        if self.state.send_replace(LeaseState::Over) != LeaseState::Over {
            tracing::error!(
                epoch = self.epoch,
                why,
                "this process no longer owns the database; its sessions stop here"
            );
        }
        self.release_store();
    }

    /// The error for callers after the right ended.
    pub(super) fn lost_error(&self, now: &str) -> OwnershipError {
        let (store, now) = ("the database".to_owned(), now.to_owned());
        OwnershipError::Lost { store, epoch: self.epoch, now }
    }

    /// Ends the right: from now on nothing is committed or sent under it. The workspaces of one of several processes are
    /// free after its lease, or after [`leave`](Self::leave).
    pub(super) fn release(&self) {
        self.state.send_replace(LeaseState::Over);
        self.release_store();
    }

    fn release_store(&self) {
        match &self.held {
            HeldRight::Store(ownership) => ownership.release(self.epoch),
            HeldRight::Workspaces(..) => {}
        }
    }

    /// Ends the right, and gives everything back now.
    ///
    /// # Errors
    /// When the store cannot be written: others wait for the end of the lease.
    pub(super) async fn leave(&self) -> Result<(), StoreError> {
        self.release();
        match &self.held {
            HeldRight::Store(_) => Ok(()),
            HeldRight::Workspaces(rights, id) => rights.leave(*id).await,
        }
    }

    /// Returns when the right is lost or released.
    pub(super) async fn wait_until_lost(&self) {
        let mut state = self.state.subscribe();
        // The sender cannot be dropped before this ends: `self` is borrowed.
        let _ = state.wait_for(|state| *state == LeaseState::Over).await;
    }

    /// Returns when nothing new starts any more.
    pub(super) async fn wait_until_shutdown(&self) {
        let mut state = self.state.subscribe();
        // The sender cannot be dropped before this ends: `self` is borrowed.
        let _ = state.wait_for(|state| *state != LeaseState::Whole).await;
    }

    /// The time of this process, for stores without a clock.
    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

impl Drop for ProcessLease {
    fn drop(&mut self) {
        self.release();
    }
}
