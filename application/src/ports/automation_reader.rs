use async_trait::async_trait;
use entracte_domain::id::{AutomationId, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::{StoreError, WakeSchedule};

/// An automation's row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AutomationRow {
    /// Its id.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub id: AutomationId,
    /// Where it lives.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub workspace: WorkspaceKey,
    /// The session with its messages.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub seed: SessionId,
    /// Its name.
    pub name: String,
    /// The occurrence that is to be decided next; none when it awaits none.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub next_at: Option<Timestamp>,
    /// Counts its commits; the version for compare-and-swap.
    pub revision: u64,
    /// The automation, encoded.
    pub body: Vec<u8>,
}

/// An occurrence's row. There is at most one for an automation and an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OccurrenceRow {
    /// The automation; its row may be gone.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub automation: AutomationId,
    /// Where it lives.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub workspace: WorkspaceKey,
    /// The instant.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub at: Timestamp,
    /// `ran`, or why it was skipped.
    pub outcome: String,
    /// The run, when it ran.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: Option<SessionId>,
    /// When it was decided.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub decided_at: Timestamp,
    /// The occurrence, encoded.
    pub body: Vec<u8>,
}

/// Reads automations and their occurrences. They are written by [`Store::commit`](super::Store::commit) alone.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{Agenda, AutomationReader, MockAutomationReader};
/// use entracte_domain::time::Timestamp;
///
/// let mut reader = MockAutomationReader::new();
/// reader.expect_scheduled().returning(|_| Ok(Agenda { due: vec![samples::workspace()], next: None }));
/// assert_eq!(reader.scheduled(Timestamp(0)).await?.due, [samples::workspace()]);
/// # Ok(()) });
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be asked now, [`StoreError::Inconsistent`] when a row of it
/// cannot be read or decoded. What is not there is no error: it is none, an empty list, or a count of 0.
///
/// # Cancel safety
/// Every method only reads: to drop its future leaves nothing behind.
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
    async fn wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError>;
}
