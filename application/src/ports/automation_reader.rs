use async_trait::async_trait;
use entracte_domain::id::{AutomationId, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::{Agenda, StoreError};

/// An automation's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomationRow {
    /// Its id.
    pub id: AutomationId,
    /// Where it lives.
    pub workspace: WorkspaceKey,
    /// The session with its messages.
    pub seed: SessionId,
    /// Its name.
    pub name: String,
    /// The occurrence that is to be decided next; none when it awaits none.
    pub next_at: Option<Timestamp>,
    /// Counts its commits; the version for compare-and-swap.
    pub revision: u64,
    /// The automation, encoded.
    pub body: Vec<u8>,
}

/// An occurrence's row. There is at most one for an automation and an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OccurrenceRow {
    /// The automation; its row may be gone.
    pub automation: AutomationId,
    /// Where it lives.
    pub workspace: WorkspaceKey,
    /// The instant.
    pub at: Timestamp,
    /// `ran`, or why it was skipped.
    pub outcome: String,
    /// The run, when it ran.
    pub session: Option<SessionId>,
    /// When it was decided.
    pub decided_at: Timestamp,
    /// The occurrence, encoded.
    pub body: Vec<u8>,
}

/// Reads automations and their occurrences. They are written by [`Store::commit`](super::Store::commit) alone.
///
/// ```
/// # use entracte_application::samples;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use entracte_application::ports::{Agenda, AutomationReader, MockAutomationReader};
/// use entracte_domain::time::Timestamp;
///
/// let mut reader = MockAutomationReader::new();
/// reader.expect_scheduled().returning(|_| Ok(Agenda { due: vec![samples::workspace()], next: None }));
/// assert_eq!(reader.scheduled(Timestamp(0)).await?.due, [samples::workspace()]);
/// # Ok(())
/// # }
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait AutomationReader: Send + Sync {
    /// The automations of a workspace, in the order they were made.
    async fn automations(&self, workspace: &WorkspaceKey) -> Result<Vec<AutomationRow>, StoreError>;

    /// An automation; none when this workspace has none of that id.
    async fn automation(
        &self,
        workspace: &WorkspaceKey,
        id: &AutomationId,
    ) -> Result<Option<AutomationRow>, StoreError>;

    /// The latest occurrences of an automation that lie before an instant (none: all), the latest first.
    async fn occurrences(
        &self,
        workspace: &WorkspaceKey,
        automation: &AutomationId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<OccurrenceRow>, StoreError>;

    /// The workspaces with an automation whose `next_at` is not after `now`, and the earliest `next_at` after it of all
    /// workspaces. Asked again and again, as [`Store::agenda`](super::Store::agenda) is.
    async fn scheduled(&self, now: Timestamp) -> Result<Agenda, StoreError>;
}
