use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::workspace::{Seat, queue};

use super::{SessionView, UseCaseError, settings_of};
use crate::ports::{Clock, Store};

/// Reads who waits for a slot of a workspace.
///
/// ```
/// # use std::sync::Arc;
/// # use entracte_application::samples;
/// # use entracte_application::use_cases::{ReadQueue, UseCaseError};
/// # use entracte_application::ports::MockStore;
/// # use entracte_application::system::SystemClock;
/// # use entracte_domain::session::{SessionFacts, Slot};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), UseCaseError> {
/// let waiting = || SessionFacts { slot: Slot::Queued(samples::NOON), ..samples::facts() };
/// let mut store = MockStore::new();
/// store.expect_workspace().returning(|_| Ok(None));
/// store.expect_placed().returning(move |_| Ok(samples::row(waiting()).into_iter().collect()));
/// let queue = ReadQueue::new(Arc::new(store), Arc::new(SystemClock));
/// assert_eq!(queue.run(&samples::workspace()).await?, [samples::session()]);
/// # Ok(())
/// # }
/// ```
pub struct ReadQueue {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
}

impl ReadQueue {
    /// Over these ports.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// The sessions that wait, the one that goes first first: those in the queue, then those that were suspended. One
    /// that cannot be read has no place here.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn run(&self, workspace: &WorkspaceKey) -> Result<Vec<SessionId>, UseCaseError> {
        let rules = settings_of(&*self.store, workspace).await?.slot_rules();
        let placed = self.store.placed(workspace).await?;
        let views = placed.iter().filter_map(|row| SessionView::of_row(row).ok());
        let seats: Vec<Seat> = views.map(|view| Seat::of(&view.facts, &view.phase)).collect();
        Ok(queue(&seats, &rules, self.clock.now()))
    }
}
