use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use entracte_domain::time::Timestamp;

use super::{Ownership, OwnershipError};

/// The [`Ownership`] of a store that lives in one process.
#[derive(Debug, Default)]
pub struct OwnerBook(Mutex<Page>);

#[derive(Debug, Default)]
struct Page {
    epoch: u64,
    is_held: bool,
}

const STORE: &str = "the store of this process";

impl OwnerBook {
    /// One that goes on after this epoch, for a store that keeps the epochs of former processes.
    pub fn after(epoch: u64) -> Self {
        Self(Mutex::new(Page { epoch, is_held: false }))
    }

    fn page(&self) -> MutexGuard<'_, Page> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Ownership for OwnerBook {
    async fn acquire(&self, _now: Timestamp) -> Result<u64, OwnershipError> {
        let mut page = self.page();
        if page.is_held {
            let holder = format!("another runtime (epoch {})", page.epoch);
            return Err(OwnershipError::Owned { store: STORE.into(), holder });
        }
        *page = Page { epoch: page.epoch + 1, is_held: true };
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
