//! Pages of the list of sessions: each reads its own rows only, however long the list is.

use std::cmp::Reverse;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::Standing;
use entracte_domain::time::Timestamp;

use super::{SessionListRow, StoreError};

/// The sessions of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionPageOf {
    /// All sessions.
    All,
    /// Sessions that have not ended.
    Open,
    /// Sessions that wait for a person or below which an agent does, including ended ones whose end was not reviewed yet.
    Waiting,
    /// Sessions that wait for a person themselves and have not ended.
    Asking,
    /// Sessions that wait for a person or below which an agent does, and that have not ended.
    AskingWithCallers,
    /// Ended sessions whose end was not reviewed yet.
    Unseen,
}

/// The order of a page, by the latest activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionPageOrder {
    /// The latest activity first.
    LatestFirst,
    /// The earliest activity first.
    EarliestFirst,
}

/// The place of a page: opaque, made by the store, and valid for the filter it was given for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionCursor(pub String);

/// Selects a page of sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPageFilter {
    /// Only sessions of this workspace.
    pub workspace: WorkspaceKey,
    /// Which of them.
    pub of: SessionPageOf,
    /// Their order.
    pub order: SessionPageOrder,
    /// Only sessions after this place; `None` begins with the first.
    pub after: Option<SessionCursor>,
    /// The maximum number of sessions, at least 1.
    pub limit: u32,
    /// A text that is sought: a store may leave out sessions that do not [have it](session_has_text). `None` = all are
    /// wanted.
    pub sought: Option<String>,
}

/// Whether the name of a session contains this text, whatever the case of its letters, or its id begins with it.
pub fn session_has_text(name: &str, id: &SessionId, text: &str) -> bool {
    name.to_lowercase().contains(&text.to_lowercase()) || id.as_str().starts_with(text)
}

/// A page of sessions, each with the place behind it. Those also wait below which an agent waits for a person, but in
/// pages of sessions that [wait themselves](SessionPageOf::waits_below_count).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionPage {
    /// The sessions, each with the place from which a page continues after it.
    pub lines: Vec<(SessionListRow, SessionCursor)>,
    /// Whether more sessions follow.
    pub is_more: bool,
}

impl SessionPageOf {
    /// Whether a session also waits for a person if an agent below it does.
    pub const fn waits_below_count(self) -> bool {
        match self {
            Self::All | Self::Open | Self::Waiting | Self::AskingWithCallers => true,
            Self::Asking | Self::Unseen => false,
        }
    }

    /// Whether a session is one of them.
    pub fn has(self, line: &SessionListRow) -> bool {
        let has_ended = line.standing.word() == Standing::Ended.word();
        match self {
            Self::All => true,
            Self::Open => !has_ended,
            Self::Waiting => line.waiting,
            Self::Asking | Self::AskingWithCallers => line.waiting && !has_ended,
            Self::Unseen => line.waiting && has_ended,
        }
    }
}

/// Marks the sessions above the agents that wait for a person.
fn mark_callers(lines: &mut [SessionListRow]) {
    let asking: Vec<SessionId> =
        lines.iter().filter(|line| SessionPageOf::Asking.has(line)).map(|line| line.id.clone()).collect();
    for line in lines {
        line.waiting |= asking.iter().any(|agent| agent.is_in_tree_of(&line.id));
    }
}

impl SessionPageFilter {
    /// The page of a complete list; for stores without an index.
    ///
    /// # Errors
    /// [`StoreError::Inconsistent`] when the cursor is none of this list.
    pub fn select_page(&self, mut lines: Vec<SessionListRow>) -> Result<SessionPage, StoreError> {
        if self.of.waits_below_count() {
            mark_callers(&mut lines);
        }
        let is_sought = |line: &SessionListRow| {
            self.sought.as_deref().is_none_or(|text| session_has_text(&line.name, &line.id, text))
        };
        lines.retain(|line| line.workspace == self.workspace && self.of.has(line) && is_sought(line));
        match self.order {
            SessionPageOrder::LatestFirst => {
                lines.sort_by(|a, b| {
                    (Reverse(a.last_activity), &a.id).cmp(&(Reverse(b.last_activity), &b.id))
                });
            }
            SessionPageOrder::EarliestFirst => {
                lines.sort_by(|a, b| (a.last_activity, &a.id).cmp(&(b.last_activity, &b.id)));
            }
        }
        if let Some(SessionCursor(cursor)) = &self.after {
            let wrong = || StoreError::Inconsistent(format!("the cursor {cursor}"));
            let (at, id) = cursor.split_once(' ').ok_or_else(wrong)?;
            let at = Timestamp(at.parse().map_err(|_| wrong())?);
            lines.retain(|line| {
                let later = match self.order {
                    SessionPageOrder::LatestFirst => line.last_activity < at,
                    SessionPageOrder::EarliestFirst => line.last_activity > at,
                };
                later || (line.last_activity == at && line.id.as_str() > id)
            });
        }
        let is_more = lines.len() > self.limit as usize;
        lines.truncate(self.limit as usize);
        let cursor = |line: &SessionListRow| SessionCursor(format!("{} {}", line.last_activity.0, line.id));
        let lines = lines.into_iter().map(|line| (line.clone(), cursor(&line))).collect();
        Ok(SessionPage { lines, is_more })
    }
}
