//! What is in an inbox: the items that were read, and those that are known by their rows.

use entracte_application::ports::{ExternalServerTools, InboxRow};
use entracte_application::use_cases::{InboxItem, InboxTriage, ReadInbox, UseCaseError};
use entracte_domain::id::{SessionId, WorkspaceKey};

use super::search::InboxSearch;
use crate::shapes::card::InboxShape;

/// The items of an inbox.
pub(super) struct InboxContents {
    /// The items that were read.
    pub(super) items: Vec<InboxItem>,
    /// The others. Who asks snoozes none of them.
    pub(super) rows: Vec<InboxRow>,
}

impl InboxContents {
    /// Reads what the search needs: everything if it seeks in what items say; otherwise the items that are in no row, and
    /// those of sessions in which who asks snoozes something.
    pub(super) async fn read(
        reader: &ReadInbox,
        workspace: &WorkspaceKey,
        search: &InboxSearch,
        triage: &InboxTriage,
    ) -> Result<Self, UseCaseError> {
        let rows = if search.is_of_rows() { reader.rows(workspace).await? } else { None };
        let Some(mut rows) = rows else {
            return Ok(Self { items: reader.run(workspace).await?, rows: Vec::new() });
        };
        let mut snoozed = triage.snoozed_sessions();
        snoozed.retain(|session| rows.iter().any(|row| row.session == *session));
        rows.retain(|row| !snoozed.contains(&row.session));
        let mut items = reader.items_of_sessions(workspace, &snoozed).await?;
        items.extend(reader.items_besides_sessions(workspace).await?);
        Ok(Self { items, rows })
    }

    /// The ids of the pending approvals of this server's queries whose tool is undecided.
    pub(super) fn approvals_of_server(&self, server: &ExternalServerTools) -> Vec<String> {
        let items = self.items.iter().filter(|item| item.is_query_of(server)).map(InboxItem::id);
        let is_held =
            |row: &&InboxRow| row.command.as_deref().is_some_and(|command| server.holds_query(command));
        items.chain(self.rows.iter().filter(is_held).map(|row| row.item.clone())).collect()
    }
}

/// An item of a page.
pub(super) enum InboxEntry {
    /// It was read.
    Read(Box<InboxShape>),
    /// It is known by its row.
    Row(InboxRow),
}

impl InboxEntry {
    /// The place of the item in the order of a search.
    pub(super) fn place(&self, search: &InboxSearch) -> String {
        match self {
            Self::Read(shape) => search.place(shape),
            Self::Row(row) => search.place_of_row(row),
        }
    }

    /// The session to read for the item, unless it was read.
    pub(super) fn unread_session(&self) -> Option<&SessionId> {
        match self {
            Self::Read(_) => None,
            Self::Row(row) => Some(&row.session),
        }
    }
}
