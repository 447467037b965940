use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use entracte_domain::time::Timestamp;

use super::{Ownership, OwnershipError};

/// The [`Ownership`] of a store that is used by one process only.
#[derive(Debug, Default)]
pub struct InProcessOwnership(Mutex<OwnershipLockState>);

#[derive(Debug, Default)]
struct OwnershipLockState {
    epoch: u64,
    is_held: bool,
}

const STORE: &str = "the store of this process";

impl InProcessOwnership {
    /// Continues after `epoch`, for a store that persists the epochs of former processes.
    pub fn with_last_epoch(epoch: u64) -> Self {
        Self(Mutex::new(OwnershipLockState { epoch, is_held: false }))
    }

    /// Whether a runtime has the store.
    pub fn is_held(&self) -> bool {
        self.page().is_held
    }

    /// Continues after `epoch`, unless a later one has begun already.
    pub fn skip_epochs(&self, epoch: u64) {
        let mut page = self.page();
        page.epoch = page.epoch.max(epoch);
    }

    fn page(&self) -> MutexGuard<'_, OwnershipLockState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Ownership for InProcessOwnership {
    async fn acquire(&self, _now: Timestamp) -> Result<u64, OwnershipError> {
        let mut page = self.page();
        if page.is_held {
            let holder = format!("another runtime (epoch {})", page.epoch);
            return Err(OwnershipError::Owned { store: STORE.into(), holder });
        }
        *page = OwnershipLockState { epoch: page.epoch + 1, is_held: true };
        Ok(page.epoch)
    }

    async fn renew(&self, epoch: u64) -> Result<(), OwnershipError> {
        let page = self.page();
        if page.epoch == epoch && page.is_held {
            return Ok(());
        }
        let now = match page.is_held {
            true => format!("it is that of epoch {} now", page.epoch),
            false => "it was released".to_owned(),
        };
        Err(OwnershipError::Lost { store: STORE.into(), epoch, now })
    }

    fn release(&self, epoch: u64) {
        let mut page = self.page();
        if page.epoch == epoch {
            page.is_held = false;
        }
    }
}
