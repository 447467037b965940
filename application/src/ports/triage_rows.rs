//! What people noted about items of their inbox: until when they snoozed them, and to whom they are assigned.

use std::collections::BTreeMap;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::{CommitError, StoreError, WorkspaceCommit};

/// An item that one person snoozed. It concerns nobody else.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SnoozeRow {
    /// The session the item waits in; the row goes with it.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// The id of the item.
    pub item: String,
    /// The author name of the person.
    pub person: String,
    /// The version of the item that was snoozed; another one is awake.
    pub version: String,
    /// Until when it is snoozed.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub until: Timestamp,
    /// When it was snoozed.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub at: Timestamp,
}

/// An item that is assigned to a person. It gives no permission.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AssignmentRow {
    /// The session the item waits in; the row goes with it.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// The id of the item.
    pub item: String,
    /// The name of the person it is assigned to.
    pub person: String,
    /// The author name of the person who assigned it.
    pub author: String,
    /// When it was assigned.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub at: Timestamp,
}

/// A change of what people noted about inbox items.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TriageChange {
    /// Snoozes an item; replaces the person's earlier snooze of it.
    Snooze(SnoozeRow),
    /// Deletes a person's snooze; a missing one is no error.
    Wake {
        /// The session of the item.
        #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
        session: SessionId,
        /// The id of the item.
        item: String,
        /// The author name of the person.
        person: String,
    },
    /// Deletes the snoozes of the workspace that have ended at this instant.
    DeleteEnded(#[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))] Timestamp),
    /// Assigns an item; replaces its earlier assignment.
    Assign(AssignmentRow),
    /// Deletes the assignment of an item; a missing one is no error.
    Unassign {
        /// The session of the item.
        #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
        session: SessionId,
        /// The id of the item.
        item: String,
    },
}

impl TriageChange {
    /// The session whose row it writes; `None` if it only deletes.
    fn written_session(&self) -> Option<&SessionId> {
        match self {
            Self::Snooze(row) => Some(&row.session),
            Self::Assign(row) => Some(&row.session),
            Self::Wake { .. } | Self::DeleteEnded(_) | Self::Unassign { .. } => None,
        }
    }

    /// Whether it changes what a person noted about an item that may still be snoozed or assigned.
    pub(crate) fn is_of_item(&self) -> bool {
        !matches!(self, Self::DeleteEnded(_))
    }

    /// Whether it concerns this session only.
    pub(crate) fn is_of_session(&self, session: &SessionId) -> bool {
        match self {
            Self::Snooze(row) => row.session == *session,
            Self::Assign(row) => row.session == *session,
            Self::Wake { session: of, .. } | Self::Unassign { session: of, .. } => of == session,
            Self::DeleteEnded(_) => false,
        }
    }
}

/// What people noted about the inbox items of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TriageRows {
    /// The snoozes, by session, item and person; also those that have ended.
    pub snoozes: Vec<SnoozeRow>,
    /// The assignments, by session and item; also of items that no longer wait.
    pub assignments: Vec<AssignmentRow>,
}

impl TriageRows {
    /// The person's snooze of an item.
    pub fn snooze(&self, session: &SessionId, item: &str, person: &str) -> Option<&SnoozeRow> {
        let key = (session.as_str(), item, person);
        let place = self.snoozes.binary_search_by(|row| snooze_key(row).cmp(&key)).ok()?;
        self.snoozes.get(place)
    }

    /// The assignment of an item.
    pub fn assignment(&self, session: &SessionId, item: &str) -> Option<&AssignmentRow> {
        let key = (session.as_str(), item);
        let place = self.assignments.binary_search_by(|row| assignment_key(row).cmp(&key)).ok()?;
        self.assignments.get(place)
    }

    /// Applies a change, and keeps the order.
    pub fn apply(&mut self, change: TriageChange) {
        match change {
            TriageChange::Snooze(new) => {
                self.snoozes.retain(|row| snooze_key(row) != snooze_key(&new));
                let place = self.snoozes.partition_point(|row| snooze_key(row) < snooze_key(&new));
                self.snoozes.insert(place, new);
            }
            TriageChange::Wake { session, item, person } => {
                self.snoozes
                    .retain(|row| snooze_key(row) != (session.as_str(), item.as_str(), person.as_str()));
            }
            TriageChange::DeleteEnded(now) => self.snoozes.retain(|row| row.until > now),
            TriageChange::Assign(new) => {
                self.assignments.retain(|row| assignment_key(row) != assignment_key(&new));
                let place =
                    self.assignments.partition_point(|row| assignment_key(row) < assignment_key(&new));
                self.assignments.insert(place, new);
            }
            TriageChange::Unassign { session, item } => {
                self.assignments.retain(|row| assignment_key(row) != (session.as_str(), item.as_str()));
            }
        }
    }

    fn delete_session(&mut self, session: &SessionId) {
        self.snoozes.retain(|row| row.session != *session);
        self.assignments.retain(|row| row.session != *session);
    }
}

fn snooze_key(row: &SnoozeRow) -> (&str, &str, &str) {
    (row.session.as_str(), row.item.as_str(), row.person.as_str())
}

fn assignment_key(row: &AssignmentRow) -> (&str, &str) {
    (row.session.as_str(), row.item.as_str())
}

/// What people noted about inbox items, for stores without a database.
#[derive(Clone, Debug, Default)]
pub struct MemoryTriageTable(BTreeMap<WorkspaceKey, TriageRows>);

impl MemoryTriageTable {
    /// Restores the table from saved rows, each with its workspace; the rows of one may be in any order, and in parts.
    pub fn load(rows: impl IntoIterator<Item = (WorkspaceKey, TriageRows)>) -> Self {
        let mut table = Self::default();
        for (workspace, TriageRows { snoozes, assignments }) in rows {
            let here = table.0.entry(workspace).or_default();
            snoozes.into_iter().for_each(|row| here.apply(TriageChange::Snooze(row)));
            assignments.into_iter().for_each(|row| here.apply(TriageChange::Assign(row)));
        }
        table
    }

    /// All rows, by workspace, for saving.
    pub fn all_rows(&self) -> impl Iterator<Item = (&WorkspaceKey, &TriageRows)> {
        self.0.iter()
    }

    /// Applies the changes and the deleted sessions of a commit. `is_known` tells whether its workspace has a session
    /// after it.
    ///
    /// # Errors
    /// [`StoreError::Inconsistent`] when a written row is of no session of the workspace.
    pub fn apply(
        &mut self,
        commit: &WorkspaceCommit,
        is_known: impl Fn(&SessionId) -> bool,
    ) -> Result<(), CommitError> {
        let mut written = commit.triage.iter().filter_map(TriageChange::written_session);
        if let Some(session) = written.find(|session| !is_known(session)) {
            return Err(StoreError::Inconsistent(format!("no session {session}")).into());
        }
        let here = self.0.entry(commit.workspace.key.clone()).or_default();
        commit.triage.iter().for_each(|change| here.apply(change.clone()));
        commit.deleted.iter().for_each(|(session, _)| here.delete_session(session));
        Ok(())
    }

    /// What people noted about the items of a workspace.
    pub fn rows(&self, workspace: &WorkspaceKey) -> TriageRows {
        self.0.get(workspace).cloned().unwrap_or_default()
    }
}
