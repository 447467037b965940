use std::sync::Arc;

use entracte_domain::id::SessionId;

use super::UseCaseError;
use crate::ports::{Clock, Store};

/// What still works in the database: a process that would stop owning it looks here first, because what it
/// breaks off has to be begun again by the next owner.
///
/// ```
/// # use std::sync::Arc;
/// # use entracte_application::samples;
/// # use entracte_application::use_cases::{UseCaseError, WorkLeft};
/// # use entracte_application::ports::MockStore;
/// # use entracte_application::system::SystemClock;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), UseCaseError> {
/// let mut store = MockStore::new();
/// store.expect_due().returning(|_| Ok(vec![(samples::workspace(), samples::session())]));
/// let left = WorkLeft::new(Arc::new(store), Arc::new(SystemClock)).run().await?;
/// assert_eq!(left, [samples::session()]);
/// # Ok(())
/// # }
/// ```
pub struct WorkLeft {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
}

impl WorkLeft {
    /// Over these ports.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// The sessions that a starting process would have to take up.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn run(&self) -> Result<Vec<SessionId>, UseCaseError> {
        let due = self.store.due(self.clock.now()).await?;
        Ok(due.into_iter().map(|(_, session)| session).collect())
    }
}

#[cfg(test)]
mod tests {
    use entracte_domain::id::WorkspaceKey;
    use entracte_domain::time::Timestamp;

    use super::*;
    use crate::ports::{MockClock, MockStore};

    #[tokio::test]
    async fn the_sessions_that_are_due_are_the_work_left() {
        let mut clock = MockClock::new();
        clock.expect_now().return_const(Timestamp(7));
        let mut store = MockStore::new();
        store
            .expect_due()
            .withf(|now| *now == Timestamp(7))
            .returning(|_| Ok(vec![(WorkspaceKey::new("ann:home"), SessionId::new("ses_a"))]));
        let left = WorkLeft::new(Arc::new(store), Arc::new(clock)).run().await.unwrap();
        assert_eq!(left, [SessionId::new("ses_a")]);
    }
}
