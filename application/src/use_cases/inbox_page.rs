//! Pages of an inbox: each reads the sessions of its own items only, however much waits.

use std::collections::BTreeSet;

use entracte_domain::id::{ApprovalId, CallId, SessionId, WorkspaceKey};
use entracte_domain::task::TaskNotice;
use entracte_domain::time::Timestamp;

use super::inbox::item;
use super::{InboxItem, InboxKind, ReadInbox, ShowSession, UseCaseError};
use crate::ports::{
    InboxRow, InboxRowKind, SessionCursor, SessionPageFilter, SessionPageOf, SessionPageOrder, StoreError,
};

/// Sessions that are listed at once where those are sought that changed lately.
const LATEST_SESSIONS: u32 = 100;

entracte_domain::words! {
    /// The parts of an inbox, in their order: what needs an act before what only informs.
    enum InboxPart {
        /// Sessions that wait: approvals, questions, parked runs.
        Asking = "a",
        /// Actions of unknown outcome.
        Unknown = "b",
        /// Long tasks that ask.
        Task = "c",
        /// Runs that ended without success.
        Ended = "d",
        /// Notices of long tasks, and automations without a grant.
        Notice = "e",
    }
}

/// A page of an inbox.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InboxPage {
    /// The items, each with the place from which a page continues after it.
    pub items: Vec<(InboxItem, String)>,
    /// Whether more items follow.
    pub is_more: bool,
}

/// The items of a page so far, and the place where it began.
struct InboxPageDraft {
    items: Vec<(InboxItem, String)>,
    /// One item more than the page shows that another page follows.
    wanted: usize,
}

impl InboxPageDraft {
    fn is_full(&self) -> bool {
        self.items.len() >= self.wanted
    }
}

impl ReadInbox {
    /// A page of the items of [`run`](Self::run), the session that has waited longest first. `after` is the place of
    /// the last item of the page before.
    ///
    /// # Errors
    /// When the place is none of an inbox, or the database cannot be read.
    pub async fn page(
        &self,
        workspace: &WorkspaceKey,
        after: Option<&str>,
        limit: usize,
    ) -> Result<InboxPage, UseCaseError> {
        self.page_of_parts(workspace, &InboxPart::ALL, after, limit).await
    }

    /// A page of the sessions that wait for an act: approvals, questions and parked runs, as of [`page`](Self::page).
    ///
    /// # Errors
    /// As those of [`page`](Self::page).
    pub async fn asking_page(
        &self,
        workspace: &WorkspaceKey,
        after: Option<&str>,
        limit: usize,
    ) -> Result<InboxPage, UseCaseError> {
        self.page_of_parts(workspace, &[InboxPart::Asking], after, limit).await
    }

    /// What waits in the sessions of this workspace, as its rows tell it without the sessions; `None` if the store does not
    /// know it of all of them.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn rows(&self, workspace: &WorkspaceKey) -> Result<Option<Vec<InboxRow>>, UseCaseError> {
        let now = self.turns.clock.now();
        let rows = self.turns.log.inbox_rows(workspace).await?;
        // Expiry counts from the deadline, also before an owner has written it.
        let is_open = |row: &InboxRow| {
            row.kind != InboxRowKind::Approval || row.due_at.is_none_or(|due_at| due_at > now)
        };
        Ok(rows.map(|rows| rows.into_iter().filter(is_open).collect()))
    }

    /// The items of these sessions, except actions of unknown outcome. A session that is gone has none.
    ///
    /// # Errors
    /// When a row cannot be read.
    pub async fn items_of_sessions(
        &self,
        workspace: &WorkspaceKey,
        sessions: &BTreeSet<SessionId>,
    ) -> Result<Vec<InboxItem>, UseCaseError> {
        let mut items = Vec::new();
        for session in sessions {
            let view = match ShowSession::new(self.turns.store.clone()).run(workspace, session).await {
                Ok(view) => view,
                Err(UseCaseError::NotFound(_)) => continue,
                Err(error) => return Err(error),
            };
            let found = self.of_session(&view).await?;
            items.extend(self.with_chain(&view, found).await?);
        }
        Ok(items)
    }

    /// The items that may have these ids: those of the sessions that the ids name, and of those that are in no row of a
    /// session all, if an id is of one. Nothing else is read.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) async fn items_near_ids(
        &self,
        workspace: &WorkspaceKey,
        ids: &[String],
    ) -> Result<Vec<InboxItem>, UseCaseError> {
        let (mut sessions, mut are_besides) = (BTreeSet::new(), false);
        for id in ids {
            let call = match InboxRowKind::from_item_id(id) {
                Some((InboxRowKind::Question | InboxRowKind::Parked | InboxRowKind::Ended, session)) => {
                    sessions.insert(SessionId::new(session));
                    continue;
                }
                Some((InboxRowKind::Approval, approval)) => ApprovalId::new(approval).call_id(),
                Some((InboxRowKind::Failed, call)) => CallId::new(call),
                None => {
                    are_besides = true;
                    continue;
                }
            };
            sessions.extend(self.turns.log.call(workspace, &call).await?.map(|row| row.session));
        }
        let mut items = self.items_of_sessions(workspace, &sessions).await?;
        if are_besides {
            items.extend(self.items_besides_sessions(workspace).await?);
        }
        Ok(items)
    }

    /// The items of [`run`](Self::run), without those of sessions whose latest activity was before this instant.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) async fn items_since(
        &self,
        workspace: &WorkspaceKey,
        since: Timestamp,
    ) -> Result<Vec<InboxItem>, UseCaseError> {
        let mut sessions = BTreeSet::new();
        for of in [SessionPageOf::Asking, SessionPageOf::Unseen] {
            let mut filter = SessionPageFilter {
                workspace: workspace.clone(),
                of,
                order: SessionPageOrder::LatestFirst,
                after: None,
                limit: LATEST_SESSIONS,
                sought: None,
            };
            loop {
                let page = self.turns.log.session_page(&filter).await?;
                let is_over = page.lines.last().is_none_or(|(line, _)| line.last_activity < since);
                filter.after = page.lines.last().map(|(_, place)| place.clone());
                let latest = page.lines.into_iter().filter(|(line, _)| line.last_activity >= since);
                sessions.extend(latest.map(|(line, _)| line.id));
                if is_over || !page.is_more {
                    break;
                }
            }
        }
        let mut items = self.items_of_sessions(workspace, &sessions).await?;
        items.extend(self.items_besides_sessions(workspace).await?);
        Ok(items)
    }

    async fn page_of_parts(
        &self,
        workspace: &WorkspaceKey,
        parts: &[InboxPart],
        after: Option<&str>,
        limit: usize,
    ) -> Result<InboxPage, UseCaseError> {
        let wrong = || StoreError::Inconsistent("the place is none of this inbox".to_owned());
        let begins = match after {
            Some(place) => {
                let (part, rest) = place.split_once(' ').ok_or_else(wrong)?;
                Some((InboxPart::from_word(part).ok_or_else(wrong)?, rest))
            }
            None => None,
        };
        let mut draft = InboxPageDraft { items: Vec::new(), wanted: limit + 1 };
        let first = begins.and_then(|(part, _)| parts.iter().position(|known| *known == part)).unwrap_or(0);
        for part in &parts[first..] {
            if draft.is_full() {
                break;
            }
            let after = begins.filter(|(begun, _)| begun == part).map(|(_, rest)| rest);
            match part {
                InboxPart::Asking | InboxPart::Ended => {
                    self.add_sessions(workspace, *part, after, &mut draft).await?;
                }
                InboxPart::Unknown => self.add_unknown(workspace, after, &mut draft).await?,
                InboxPart::Task | InboxPart::Notice => {
                    self.add_notices(workspace, *part, after, &mut draft).await?;
                }
            }
        }
        let is_more = draft.items.len() > limit;
        draft.items.truncate(limit);
        Ok(InboxPage { items: draft.items, is_more })
    }

    /// Adds the items of waiting sessions. A place is the number of items of the next session that were read already,
    /// and the place before that session.
    async fn add_sessions(
        &self,
        workspace: &WorkspaceKey,
        part: InboxPart,
        after: Option<&str>,
        draft: &mut InboxPageDraft,
    ) -> Result<(), UseCaseError> {
        let wrong = || StoreError::Inconsistent("the place is none of this inbox".to_owned());
        let (mut skipped, mut before) = (0, String::new());
        if let Some((skip, place)) = after.map(|after| after.split_once(' ').ok_or_else(wrong)).transpose()? {
            (skipped, before) = (skip.parse().map_err(|_| wrong())?, place.to_owned());
        }
        loop {
            let left = draft.wanted - draft.items.len();
            let filter = SessionPageFilter {
                workspace: workspace.clone(),
                of: if part == InboxPart::Ended { SessionPageOf::Unseen } else { SessionPageOf::Asking },
                order: SessionPageOrder::EarliestFirst,
                after: (!before.is_empty()).then(|| SessionCursor(before.clone())),
                limit: u32::try_from(left).unwrap_or(u32::MAX),
                sought: None,
            };
            let page = self.turns.log.session_page(&filter).await?;
            for (line, place) in page.lines {
                let view = ShowSession::new(self.turns.store.clone()).run(workspace, &line.id).await?;
                let found = self.of_session(&view).await?;
                let found = self.with_chain(&view, found).await?;
                for (index, item) in found.into_iter().enumerate().skip(skipped) {
                    let place = format!("{} {} {before}", part.word(), index + 1);
                    draft.items.push((item, place));
                }
                (skipped, before) = (0, place.0);
                if draft.is_full() {
                    return Ok(());
                }
            }
            if !page.is_more {
                return Ok(());
            }
        }
    }

    /// Adds actions of unknown outcome, the oldest first.
    async fn add_unknown(
        &self,
        workspace: &WorkspaceKey,
        after: Option<&str>,
        draft: &mut InboxPageDraft,
    ) -> Result<(), UseCaseError> {
        let mut rows = self.turns.log.calls_with_unknown_outcome(workspace).await?;
        rows.sort_by(|one, other| (one.requested_at, &one.id).cmp(&(other.requested_at, &other.id)));
        for row in rows {
            let place = sorted_place(row.requested_at, row.id.as_str());
            if draft.is_full() {
                break;
            }
            if after.is_none_or(|after| place.as_str() > after) {
                let view = ShowSession::new(self.turns.store.clone()).run(workspace, &row.session).await?;
                let history = self.history(&view).await?;
                let found = vec![item(&view, &history, InboxKind::Unsettled(Box::new(row)))];
                let found = self.with_chain(&view, found).await?;
                let place = format!("{} {place}", InboxPart::Unknown.word());
                draft.items.extend(found.into_iter().map(|item| (item, place.clone())));
            }
        }
        Ok(())
    }

    /// Adds the latest long tasks that ask, or notices.
    async fn add_notices(
        &self,
        workspace: &WorkspaceKey,
        part: InboxPart,
        after: Option<&str>,
        draft: &mut InboxPageDraft,
    ) -> Result<(), UseCaseError> {
        let mut found = Vec::new();
        for task in self.tasks_with_notice(workspace).await? {
            let Some(why) = task.notice() else { continue };
            let informs = matches!(why, TaskNotice::Contradicted | TaskNotice::Undelivered);
            if informs == (part == InboxPart::Notice) {
                let view = ShowSession::new(self.turns.store.clone()).run(workspace, &task.session).await?;
                let history = self.history(&view).await?;
                let id = task.id.to_string();
                let items = vec![item(&view, &history, InboxKind::Task { task: Box::new(task), why })];
                let items = self.with_chain(&view, items).await?;
                found.extend(items.into_iter().map(|item| (item, id.clone())));
            }
        }
        if part == InboxPart::Notice {
            for item in self.automations_without_grant(workspace).await? {
                let id = item.automation.clone().unwrap_or_default();
                found.push((item, id));
            }
        }
        for (item, id) in &mut found {
            *id = sorted_place(item.asked_at, id);
        }
        found.sort_by(|one, other| one.1.cmp(&other.1));
        for (item, place) in found {
            if !draft.is_full() && after.is_none_or(|after| place.as_str() > after) {
                draft.items.push((item, format!("{} {place}", part.word())));
            }
        }
        Ok(())
    }
}

/// A place that sorts by time.
fn sorted_place(at: Timestamp, id: &str) -> String {
    format!("{:020} {id}", at.0.max(0))
}
