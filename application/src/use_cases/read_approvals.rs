use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};

use super::turn_view::{ApprovalView, PendingDecision, TurnViewBuilder};
use super::{ShowSession, UseCaseError};
use crate::commands::Catalog;
use crate::ports::{Clock, LogReader, ResourceReader, WorkspaceStore};
use crate::texts::ReaderLanguage;

/// Reads the open approvals of a session as cards; a decision is bound to the card that was shown.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// let read = ReadApprovals::new(
///     Arc::new(samples::store()),
///     Arc::new(MockLogReader::new()),
///     Arc::new(MockResourceReader::new()),
///     Arc::new(Catalog::new(&[]).unwrap()),
///     Arc::new(samples::clock()),
/// );
/// assert_eq!(read.run(&samples::workspace(), &samples::session()).await?, []);
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Only reads: dropping it leaves nothing behind.
pub struct ReadApprovals {
    turns: TurnViewBuilder,
}

impl ReadApprovals {
    /// Creates the use case over these ports.
    pub fn new(
        store: Arc<dyn WorkspaceStore>,
        log: Arc<dyn LogReader>,
        rows: Arc<dyn ResourceReader>,
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let reader = ReaderLanguage::OF_WORKSPACE;
        Self { turns: TurnViewBuilder { store, log, rows, catalog, clock, reader } }
    }

    /// Words cards and reasons in the language of this reader.
    #[must_use]
    pub fn for_reader(mut self, reader: ReaderLanguage) -> Self {
        self.turns.reader = reader;
        self
    }

    /// The open approvals of this session of a workspace.
    ///
    /// # Errors
    /// When the session is unknown, or cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<Vec<ApprovalView>, UseCaseError> {
        let view = ShowSession::new(self.turns.store.clone()).run(workspace, session).await?;
        Ok(match self.turns.waiting(&view).await? {
            Some(PendingDecision::Validation(approvals)) => approvals,
            Some(PendingDecision::Question(_)) | None => Vec::new(),
        })
    }
}
