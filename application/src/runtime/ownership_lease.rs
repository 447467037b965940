//! The proof that this runtime handles the events of a store, and how long it counts.
//!
//! An epoch stops what is written: the store refuses the commit of an owner that was followed. It does not stop what is
//! sent. So before anything is sent the owner looks at its lease: the right was verified less than
//! `runtime.lease - runtime.lease_margin` ago. A process that was frozen for longer asks first, and when another one took
//! over meanwhile it sends nothing under this epoch, ever. It gives the lock of the lost epoch back, and may take the next epoch.

use std::sync::{Arc, Mutex};

use entracte_domain::time::Millis;
use tokio::sync::watch;

use super::dual_clock::{AGAIN, DualClockInstant};
use super::lock::lock;
use crate::ports::{Clock, Ownership, OwnershipError};
use crate::settings::RuntimeSettings;

/// The right to handle the events of a store, of one epoch. There is one way to have it, [`OwnershipLease::acquire`]; it is given back
/// when this is dropped.
pub struct OwnershipLease {
    ownership: Arc<dyn Ownership>,
    clock: Arc<dyn Clock>,
    epoch: u64,
    /// How long after it was verified something may be sent.
    term: Millis,
    /// How often it is verified, whether or not something is to be sent.
    every: Millis,
    verified: Mutex<DualClockInstant>,
    right: watch::Sender<OwnershipState>,
}

/// Says whether a runtime still owns its store. Clones are cheap, and keep nothing alive.
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

/// How much of the right is left. It never comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OwnershipState {
    /// All of it.
    Whole,
    /// Its process stops: what is under way may end and is written, and nothing new starts.
    Leaving,
    /// None: another owner took the store, or it was given back.
    Over,
}

impl OwnershipLease {
    /// Takes the right to a store's events.
    ///
    /// # Errors
    /// [`OwnershipError::Owned`] while another owner is there.
    pub async fn acquire(
        ownership: Arc<dyn Ownership>,
        clock: Arc<dyn Clock>,
        settings: &RuntimeSettings,
    ) -> Result<Self, OwnershipError> {
        // Before it is asked: the answer is older than the moment at which it is read.
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

    /// Its epoch: higher than that of every owner before.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// What tells others whether it still owns the store.
    pub(super) fn status(&self) -> OwnershipStatus {
        OwnershipStatus { epoch: self.epoch, right: self.right.subscribe() }
    }

    /// Whether it no longer owns the store.
    pub fn is_lost(&self) -> bool {
        *self.right.borrow() == OwnershipState::Over
    }

    /// Whether its process stops, or it is over: nothing new starts.
    pub(super) fn is_leaving(&self) -> bool {
        *self.right.borrow() != OwnershipState::Whole
    }

    /// From now on nothing new starts.
    pub(super) fn begin_shutdown(&self) {
        self.right.send_if_modified(|right| {
            let is_whole = *right == OwnershipState::Whole;
            if is_whole {
                *right = OwnershipState::Leaving;
            }
            is_whole
        });
    }

    /// Whether something may be sent now. Where the lease is over the right is verified first; while it cannot be asked,
    /// nothing is sent. False is final.
    pub(super) async fn may_send(&self) -> bool {
        loop {
            if self.is_lost() {
                return false;
            }
            if self.is_within_lease() {
                return true;
            }
            match self.renew().await {
                // Once verified it may be sent, however short the lease is.
                Ok(()) => return !self.is_lost(),
                Err(OwnershipError::Store(error)) => {
                    tracing::warn!(%error, "nothing is sent until it is known who owns the database");
                    self.clock.sleep(AGAIN).await;
                }
                Err(OwnershipError::Lost { .. } | OwnershipError::Owned { .. }) => return false,
            }
        }
    }

    /// Whether something may be committed now. Where the lease is over the right is verified first, once: an epoch stops the
    /// commits of a lost owner only in a workspace that its successor has written.
    pub(super) async fn ensure_may_commit(&self) -> Result<(), OwnershipError> {
        if self.is_within_lease() { Ok(()) } else { self.renew().await }
    }

    fn is_within_lease(&self) -> bool {
        lock(&self.verified).age(&*self.clock) < self.term
    }

    /// Verifies the right; from that moment on the lease runs anew.
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

    /// Verifies the right again and again, until it is over.
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

    /// Another owner took the store. What is left of the right goes back at once, so that the lock is free for whoever owns next.
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

    /// That the right is over, for whoever asks again.
    pub(super) fn lost_error(&self) -> OwnershipError {
        let (store, now) = ("the database".to_owned(), "it was given up".to_owned());
        OwnershipError::Lost { store, epoch: self.epoch, now }
    }

    /// Gives the right back: from now on nothing is committed and nothing sent by it.
    pub(super) fn release(&self) {
        self.right.send_replace(OwnershipState::Over);
        self.ownership.release(self.epoch);
    }

    /// Returns when it is over.
    pub(super) async fn wait_until_lost(&self) {
        let mut right = self.right.subscribe();
        // It cannot be gone before this: it is borrowed.
        let _ = right.wait_for(|right| *right == OwnershipState::Over).await;
    }

    /// Returns when nothing new starts any more.
    pub(super) async fn wait_until_shutdown(&self) {
        let mut right = self.right.subscribe();
        // It cannot be gone before this: it is borrowed.
        let _ = right.wait_for(|right| *right != OwnershipState::Whole).await;
    }
}

impl Drop for OwnershipLease {
    fn drop(&mut self) {
        self.release();
    }
}
