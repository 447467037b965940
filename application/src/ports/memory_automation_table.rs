use std::collections::BTreeMap;

use entracte_domain::id::{AutomationId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::{AutomationRow, CommitError, OccurrenceRow, WakeSchedule, expect_version};

/// Automations and their occurrences in memory, for stores without a database.
#[derive(Clone, Debug, Default)]
pub struct MemoryAutomationTable {
    /// In creation order.
    automations: Vec<AutomationRow>,
    occurrences: BTreeMap<(AutomationId, Timestamp), OccurrenceRow>,
}

impl MemoryAutomationTable {
    /// Restores the table from saved automations, in creation order, and their occurrences.
    pub fn load(
        automations: impl IntoIterator<Item = AutomationRow>,
        occurrences: impl IntoIterator<Item = OccurrenceRow>,
    ) -> Self {
        let placed = |row: OccurrenceRow| ((row.automation.clone(), row.at), row);
        Self {
            automations: automations.into_iter().collect(),
            occurrences: occurrences.into_iter().map(placed).collect(),
        }
    }

    /// All automations in creation order, for saving.
    pub fn automations(&self) -> &[AutomationRow] {
        &self.automations
    }

    /// All decided occurrences, for saving.
    pub fn occurrence_rows(&self) -> impl Iterator<Item = &OccurrenceRow> {
        self.occurrences.values()
    }

    /// Applies the automation changes of a commit of this workspace; after an error the rows may be partly changed.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when an automation has another revision, or an occurrence was decided already.
    pub fn apply(
        &mut self,
        workspace: &WorkspaceKey,
        automations: Vec<(AutomationRow, Option<u64>)>,
        occurrences: Vec<OccurrenceRow>,
        deleted: Vec<(AutomationId, u64)>,
    ) -> Result<(), CommitError> {
        for (row, expected) in automations {
            self.expect(workspace, &row.id, expected)?;
            match self.automations.iter_mut().find(|stored| stored.id == row.id) {
                Some(stored) => *stored = row,
                None => self.automations.push(row),
            }
        }
        for row in occurrences {
            let place = (row.automation.clone(), row.at);
            if self.occurrences.insert(place, row.clone()).is_some() {
                let (automation, at) = (&row.automation, row.at.0);
                return Err(CommitError::Conflict(format!("the occurrence {at} of {automation}")));
            }
        }
        for (id, expected) in deleted {
            self.expect(workspace, &id, Some(expected))?;
            self.automations.retain(|row| row.id != id);
        }
        Ok(())
    }

    /// The automations of a workspace, in creation order.
    pub fn automations_in(&self, workspace: &WorkspaceKey) -> Vec<AutomationRow> {
        self.automations.iter().filter(|row| row.workspace == *workspace).cloned().collect()
    }

    /// Finds one automation of a workspace.
    pub fn find(&self, workspace: &WorkspaceKey, id: &AutomationId) -> Option<AutomationRow> {
        self.automations.iter().find(|row| row.id == *id && row.workspace == *workspace).cloned()
    }

    /// The latest occurrences of an automation before an instant, latest first.
    pub fn occurrences(
        &self,
        workspace: &WorkspaceKey,
        id: &AutomationId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Vec<OccurrenceRow> {
        let is_of = |row: &&OccurrenceRow| row.automation == *id && row.workspace == *workspace;
        let rows = self.occurrences.values().rev().filter(is_of);
        let earlier = rows.filter(|row| before.is_none_or(|before| row.at < before));
        earlier.take(limit as usize).cloned().collect()
    }

    /// The workspaces with a due automation, and the next instant at which one is due.
    pub fn next_wake(&self, now: Timestamp) -> WakeSchedule {
        WakeSchedule::from_instants(
            self.automations.iter().filter_map(|row| Some((&row.workspace, row.next_at?))),
            now,
        )
    }

    /// Checks the revision of a row. An automation of another workspace conflicts with a new row and cannot be
    /// changed.
    fn expect(
        &self,
        workspace: &WorkspaceKey,
        id: &AutomationId,
        expected: Option<u64>,
    ) -> Result<(), CommitError> {
        let is_it =
            |row: &&AutomationRow| row.id == *id && (expected.is_none() || row.workspace == *workspace);
        let found = self.automations.iter().find(is_it).map(|row| row.revision);
        expect_version("automation", id.as_str(), expected, found)
    }
}
