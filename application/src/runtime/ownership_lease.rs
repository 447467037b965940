//! The exclusive right of this runtime to handle the events of a store, with its lease.
//!
//! The epoch protects writes: the store refuses the commits of an owner that was replaced. It does not protect
//! sends. So before anything is sent the owner checks its lease: ownership was verified within `runtime.lease` minus
//! `runtime.lease_margin`. A process that was frozen for longer verifies first, and if another one took over
//! meanwhile it never sends anything under this epoch. It releases the lock of the lost epoch, and may acquire
//! the next epoch.

use std::sync::{Arc, Mutex};

use entracte_domain::time::Millis;
use tokio::sync::watch;

use super::dual_clock::{AGAIN, DualClockInstant};
use super::lock::lock;
use crate::ports::{Clock, Ownership, OwnershipError};
use crate::settings::RuntimeSettings;

/// The right to handle the events of a store, for one epoch. Only [`OwnershipLease::acquire`] creates it; it is
/// released on drop.
pub struct OwnershipLease {
    ownership: Arc<dyn Ownership>,
    clock: Arc<dyn Clock>,
    epoch: u64,
    /// How long after a verification something may be sent.
    term: Millis,
    /// Interval of the verification, whether or not something is sent.
    every: Millis,
    verified: Mutex<DualClockInstant>,
    right: watch::Sender<OwnershipState>,
}

/// Reports whether a runtime still owns its store. Clones are cheap and keep nothing alive.
#[derive(Clone, Debug)]
pub struct OwnershipStatus {
    epoch: u64,
    right: watch::Receiver<OwnershipState>,
}

impl OwnershipStatus {
    /// The epoch of the runtime; `None` once it no longer owns its store.
    pub fn epoch(&self) -> Option<u64> {
        (*self.right.borrow() != OwnershipState::Over).then_some(self.epoch)
    }
}

/// State of the ownership. It only moves forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OwnershipState {
    /// The store is owned.
    Whole,
    /// The process stops: work under way may end and is committed, and nothing new starts.
    Leaving,
    /// Another owner took the store, or it was released.
    Over,
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
        // Taken before the request: the answer is older than the moment at which it is read.
        let asked = DualClockInstant::now(&*clock);
        let epoch = ownership.acquire(clock.now()).await?;
        Ok(Self {
            ownership,
            clock,
            epoch,
            term: Millis(settings.lease.0.saturating_sub(settings.lease_margin.0).max(0)),
            every: Millis((settings.lease.0 / 3).max(1)),
            verified: Mutex::new(asked),
            right: watch::Sender::new(OwnershipState::Whole),
        })
    }

    /// Its epoch: higher than that of every previous owner.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// A handle that reports whether this lease still owns the store.
    pub(super) fn status(&self) -> OwnershipStatus {
        OwnershipStatus { epoch: self.epoch, right: self.right.subscribe() }
    }

    /// Whether the store is no longer owned.
    pub fn is_lost(&self) -> bool {
        *self.right.borrow() == OwnershipState::Over
    }

    /// Whether the process stops, or ownership is lost: nothing new starts.
    pub(super) fn is_leaving(&self) -> bool {
        *self.right.borrow() != OwnershipState::Whole
    }

    /// Begins the shutdown: from now on nothing new starts.
    pub(super) fn begin_shutdown(&self) {
        self.right.send_if_modified(|right| {
            let is_whole = *right == OwnershipState::Whole;
            if is_whole {
                *right = OwnershipState::Leaving;
            }
            is_whole
        });
    }

    /// Whether something may be sent now. After the lease expired, ownership is verified first; while that is
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

    /// Checks that something may be committed now. After the lease expired, ownership is verified once first, because
    /// the epoch stops the commits of a lost owner only in workspaces that its successor has written.
    pub(super) async fn ensure_may_commit(&self) -> Result<(), OwnershipError> {
        if self.is_within_lease() { Ok(()) } else { self.renew().await }
    }

    fn is_within_lease(&self) -> bool {
        lock(&self.verified).age(&*self.clock) < self.term
    }

    /// Verifies ownership and restarts the lease.
    pub(super) async fn renew(&self) -> Result<(), OwnershipError> {
        let asked = DualClockInstant::now(&*self.clock);
        match self.ownership.renew(self.epoch).await {
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

    /// Renews the lease at its interval until ownership is lost.
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

    /// Records that another owner took the store, and releases the lock immediately for the next owner.
    pub(super) fn mark_lost(&self, why: &str) {
        if self.right.send_replace(OwnershipState::Over) != OwnershipState::Over {
            tracing::error!(
                epoch = self.epoch,
                why,
                "this process no longer owns the database; its sessions stop here"
            );
        }
        self.ownership.release(self.epoch);
    }

    /// The error for callers after ownership ended.
    pub(super) fn lost_error(&self) -> OwnershipError {
        let (store, now) = ("the database".to_owned(), "it was given up".to_owned());
        OwnershipError::Lost { store, epoch: self.epoch, now }
    }

    /// Releases ownership: from now on nothing is committed or sent under it.
    pub(super) fn release(&self) {
        self.right.send_replace(OwnershipState::Over);
        self.ownership.release(self.epoch);
    }

    /// Returns when ownership is lost or released.
    pub(super) async fn wait_until_lost(&self) {
        let mut right = self.right.subscribe();
        // The sender cannot be dropped before this ends: `self` is borrowed.
        let _ = right.wait_for(|right| *right == OwnershipState::Over).await;
    }

    /// Returns when nothing new starts any more.
    pub(super) async fn wait_until_shutdown(&self) {
        let mut right = self.right.subscribe();
        // The sender cannot be dropped before this ends: `self` is borrowed.
        let _ = right.wait_for(|right| *right != OwnershipState::Whole).await;
    }
}

impl Drop for OwnershipLease {
    fn drop(&mut self) {
        self.release();
    }
}
