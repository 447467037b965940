use async_trait::async_trait;
use entracte_domain::id::{AutomationId, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::{StoreError, WakeSchedule};

/// The stored row of an automation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AutomationRow {
    /// Unique id of the automation.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub id: AutomationId,
    /// The workspace the automation belongs to.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub workspace: WorkspaceKey,
    /// The seed session, which contains its messages.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub seed: SessionId,
    /// Display name.
    pub name: String,
    /// The next occurrence to decide; `None` when none is scheduled.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub next_at: Option<Timestamp>,
    /// Number of commits so far; the version for compare-and-swap.
    pub revision: u64,
    /// The encoded automation.
    pub body: Vec<u8>,
}

/// The stored row of an occurrence. There is at most one per automation and instant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OccurrenceRow {
    /// The automation; its row may have been deleted.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub automation: AutomationId,
    /// The workspace the automation belongs to.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub workspace: WorkspaceKey,
    /// The instant the occurrence was due.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub at: Timestamp,
    /// `ran`, or the reason why it was skipped.
    pub outcome: String,
    /// The session of the run, if it ran.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: Option<SessionId>,
    /// When the outcome was decided.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub decided_at: Timestamp,
    /// The encoded occurrence.
    pub body: Vec<u8>,
}

/// Reads automations and their occurrences. Only [`WorkspaceStore::commit`](super::WorkspaceStore::commit) writes
/// them.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{AutomationReader, MockAutomationReader, WakeSchedule};
/// use entracte_domain::time::Timestamp;
///
/// let mut reader = MockAutomationReader::new();
/// reader.expect_wake_schedule().returning(|_| Ok(WakeSchedule { due: vec![samples::workspace()], next: None }));
/// assert_eq!(reader.wake_schedule(Timestamp(0)).await?.due, [samples::workspace()]);
/// # Ok(()) });
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be queried now, [`StoreError::Inconsistent`] when a row cannot be
/// read or decoded. A missing row is not an error: the result is `None`, an empty list, or a count of 0.
///
/// # Cancel safety
/// Every method only reads: dropping its future leaves nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait AutomationReader: Send + Sync {
    /// The automations of a workspace, in creation order.
    async fn automations(&self, workspace: &WorkspaceKey) -> Result<Vec<AutomationRow>, StoreError>;

    /// One automation; `None` if this workspace has none of that id.
    async fn automation(
        &self,
        workspace: &WorkspaceKey,
        id: &AutomationId,
    ) -> Result<Option<AutomationRow>, StoreError>;

    /// The latest occurrences of an automation before an instant (`None`: all), latest first.
    async fn occurrences(
        &self,
        workspace: &WorkspaceKey,
        automation: &AutomationId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<OccurrenceRow>, StoreError>;

    /// The workspaces with an automation whose `next_at` is not after `now`, and the earliest later `next_at` of all
    /// workspaces. Polled like [`WorkspaceStore::wake_schedule`](super::WorkspaceStore::wake_schedule).
    async fn wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError>;
}
