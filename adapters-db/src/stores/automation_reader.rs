//! [`AutomationReader`] on a database.

use async_trait::async_trait;
use entracte_application::ports::{AutomationReader, AutomationRow, OccurrenceRow, StoreError, WakeSchedule};
use entracte_domain::id::{AutomationId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::database::Database;
use crate::queries::automations;

/// Reader of automations and their occurrences.
pub(crate) struct DbAutomationReader(pub(crate) Database);

#[async_trait]
impl AutomationReader for DbAutomationReader {
    async fn automations(&self, workspace: &WorkspaceKey) -> Result<Vec<AutomationRow>, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| automations::list_for_workspace(conn, &workspace)).await
    }

    async fn automation(
        &self,
        workspace: &WorkspaceKey,
        id: &AutomationId,
    ) -> Result<Option<AutomationRow>, StoreError> {
        let (workspace, id) = (workspace.clone(), id.clone());
        self.0.read(move |conn| automations::find(conn, &workspace, &id)).await
    }

    async fn occurrences(
        &self,
        workspace: &WorkspaceKey,
        automation: &AutomationId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<OccurrenceRow>, StoreError> {
        let (workspace, id) = (workspace.clone(), automation.clone());
        let before = before.unwrap_or(Timestamp(i64::MAX));
        self.0.read(move |conn| automations::latest(conn, &workspace, &id, before, limit)).await
    }

    async fn wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError> {
        self.0.read(move |conn| automations::due_agenda(conn, now)).await
    }
}
