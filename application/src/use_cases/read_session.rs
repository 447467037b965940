use std::collections::HashSet;
use std::sync::Arc;

use entracte_domain::call::Call;
use entracte_domain::id::{MessageId, SessionId, WorkspaceKey};
use entracte_domain::session::{
    Input, Phase, SessionFacts, SessionKind, Standing, WakeReason, standing, wake_reason,
};
use entracte_domain::time::{Millis, Timestamp};

use super::UseCaseError;
use super::call_decisions::{CallDecision, decisions};
use super::settings::texts_of;
use crate::codec::{CodecError, decode_call, decode_entry, decode_snapshot};
use crate::commands::content_of;
use crate::journal::{ConversationMessage, JournalEntry};
use crate::ports::{
    LogReader, LogRow, SessionCursor, SessionFilter, SessionListRow, SessionPageFilter, SessionPageOf,
    SessionPageOrder, SessionRow, SessionRows, StoreError, WorkspaceStore, session_has_text,
};
use crate::rule_book::RuleBook;
use crate::texts::saying;

/// The number of entries read per page.
const PAGE: u32 = 500;

use_case! {
    /// Lists sessions: those that wait for a person first, then active ones, then ended ones.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut log = MockLogReader::new();
    /// log.expect_sessions()
    ///     .withf(|filter| filter.open)
    ///     .returning(|_| Ok(vec![samples::row(samples::facts()).unwrap()].into()));
    /// let open = SessionFilter { open: true, ..SessionFilter::default() };
    /// let sessions = ListSessions::new(Arc::new(log)).run(&open).await?;
    /// assert_eq!(sessions.rows[0].name, "First chat");
    /// # Ok(()) });
    /// ```
    pub struct ListSessions reads (log: dyn LogReader)
}

impl ListSessions {
    /// The sessions that match the filter.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn run(&self, filter: &SessionFilter) -> Result<SessionRows, UseCaseError> {
        Ok(self.log.sessions(filter).await?)
    }

    /// The same as [`ListSessions::search`], as list rows without the encoded parts. A session also waits for a person if
    /// an agent below it does.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn lines(
        &self,
        filter: &SessionFilter,
        sought: &SessionSearch,
    ) -> Result<Vec<SessionListRow>, UseCaseError> {
        let mut found = self.log.session_list(&SessionFilter { limit: 0, ..filter.clone() }).await?;
        let callers = callers_of_waiting(&found);
        if !callers.is_empty() {
            if filter.waiting {
                let all = SessionFilter { waiting: false, limit: 0, ..filter.clone() };
                found = self.log.session_list(&all).await?;
            }
            found.iter_mut().for_each(|line| line.waiting |= callers.contains(&line.id));
            found.retain(|line| line.waiting || !filter.waiting);
            found.sort_by_key(|line| !line.waiting);
        }
        found.retain(|line| sought.matches_summary(line));
        if filter.limit > 0 {
            found.truncate(usize::try_from(filter.limit).unwrap_or(usize::MAX));
        }
        Ok(found)
    }

    /// A page of the sessions that match, the latest activity first. Without a search it reads the rows of the page
    /// alone; a search reads further until the page is full, some rows at a time.
    ///
    /// # Errors
    /// When the place was not given for this list, or the database cannot be read.
    pub async fn page(
        &self,
        workspace: &WorkspaceKey,
        query: &SessionPageQuery,
    ) -> Result<SessionLinesPage, UseCaseError> {
        let wanted = query.limit.max(1) as usize + 1;
        let searches =
            query.search != SessionSearch::default() || query.standing.is_some() || query.phase.is_some();
        let mut filter = SessionPageFilter {
            workspace: workspace.clone(),
            of: query.of,
            order: SessionPageOrder::LatestFirst,
            after: query.after.clone().map(SessionCursor),
            limit: if searches { SEARCHED_AT_ONCE.max(query.limit) } else { query.limit.max(1) + 1 },
            sought: Some(query.search.text.clone()).filter(|text| !text.is_empty()),
        };
        let is =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        let mut found: Vec<(SessionListRow, SessionCursor)> = Vec::new();
        'pages: loop {
            let page = self.log.session_page(&filter).await?;
            for (line, place) in page.lines {
                if query.since.is_some_and(|since| line.last_activity < since) {
                    break 'pages;
                }
                filter.after = Some(place.clone());
                let matches = query.search.matches_summary(&line)
                    && is(&query.standing, line.standing.word())
                    && is(&query.phase, line.phase.word());
                if matches {
                    found.push((line, place));
                }
                if found.len() == wanted {
                    break 'pages;
                }
            }
            if !page.is_more {
                break;
            }
        }
        let is_more = found.len() == wanted;
        found.truncate(wanted - 1);
        let next = found.last().filter(|_| is_more).map(|(_, place)| place.0.clone());
        Ok(SessionLinesPage { lines: found.into_iter().map(|(line, _)| line).collect(), next })
    }

    /// The sessions that match filter and search; the filter's limit applies to the result.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn search(
        &self,
        filter: &SessionFilter,
        sought: &SessionSearch,
    ) -> Result<SessionRows, UseCaseError> {
        if *sought == SessionSearch::default() {
            return self.run(filter).await;
        }
        let limit = usize::try_from(filter.limit).unwrap_or(usize::MAX);
        let mut found = self.run(&SessionFilter { limit: 0, ..filter.clone() }).await?;
        found.rows.retain(|row| sought.matches_row(row));
        found.unreadable.retain(|session| sought.matches_summary(&session.line));
        if limit > 0 {
            found.rows.truncate(limit);
        }
        Ok(found)
    }
}

/// The sessions above the agents that wait for a person.
fn callers_of_waiting(lines: &[SessionListRow]) -> HashSet<SessionId> {
    let waiting = lines.iter().filter(|line| line.waiting);
    waiting.flat_map(|line| std::iter::successors(line.id.caller(), SessionId::caller)).collect()
}

/// Rows that a search reads at once.
const SEARCHED_AT_ONCE: u32 = 200;

/// Which page of a list of sessions.
#[derive(Clone, Debug)]
pub struct SessionPageQuery {
    /// Which sessions.
    pub of: SessionPageOf,
    /// What is searched.
    pub search: SessionSearch,
    /// Only sessions of this standing, as its keyword.
    pub standing: Option<String>,
    /// Only sessions in this phase, as its keyword.
    pub phase: Option<String>,
    /// Only sessions with an activity at this instant or later.
    pub since: Option<Timestamp>,
    /// [`SessionLinesPage::next`] of the page before.
    pub after: Option<String>,
    /// The maximum number of sessions, at least 1.
    pub limit: u32,
}

/// A page of a list of sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionLinesPage {
    /// Its sessions.
    pub lines: Vec<SessionListRow>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<String>,
}

/// A search within a list of sessions.
///
/// ```
/// # use entracte_application::samples;
/// # use entracte_application::use_cases::SessionSearch;
/// # use entracte_domain::session::SessionKind;
/// let row = samples::row(samples::facts()).unwrap();
/// assert!(SessionSearch { text: "first CH".into(), kind: Some(SessionKind::Chat) }.matches_row(&row));
/// assert!(!SessionSearch { text: "second".into(), kind: None }.matches_row(&row));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionSearch {
    /// Only sessions of this kind.
    pub kind: Option<SessionKind>,
    /// A part of the name, ignoring case, or a prefix of the id; empty matches all.
    pub text: String,
}

impl SessionSearch {
    /// Whether a session row matches.
    pub fn matches_row(&self, row: &SessionRow) -> bool {
        self.fit(&row.name, &row.id, row.kind.word())
    }

    /// Whether a list row matches.
    pub fn matches_summary(&self, line: &SessionListRow) -> bool {
        self.fit(&line.name, &line.id, line.kind.word())
    }

    fn fit(&self, name: &str, id: &SessionId, kind: &str) -> bool {
        session_has_text(name, id, &self.text) && self.kind.is_none_or(|wanted| kind == wanted.word())
    }
}

/// The current state of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionView {
    /// The facts of the session.
    pub facts: SessionFacts,
    /// Its phase.
    pub phase: Phase,
    /// Its standing, which says whether it may work.
    pub standing: Standing,
    /// When it is woken next.
    pub wake_at: Option<Timestamp>,
}

impl SessionView {
    /// Decodes the session of a row.
    ///
    /// # Errors
    /// When a newer Entracte wrote it, or it is damaged.
    pub fn from_row(row: &SessionRow) -> Result<Self, CodecError> {
        let snapshot = decode_snapshot(&row.body)?;
        let standing = standing(&snapshot.facts, &snapshot.phase);
        Ok(Self { facts: snapshot.facts, phase: snapshot.phase, standing, wake_at: row.wake_at })
    }

    /// When it is woken next, and why; `rules` are those of its workspace.
    pub fn next_wake(&self, rules: &RuleBook) -> Option<(Timestamp, WakeReason)> {
        let rules = rules.rules_for_session(&self.facts);
        self.wake_at.map(|at| (at, wake_reason(&self.facts, &self.phase, rules, at)))
    }
}

use_case! {
    /// Shows one session.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut store = MockWorkspaceStore::new();
    /// store.expect_session().returning(|_, id| {
    ///     Ok((*id == samples::session()).then(|| samples::row(samples::facts()).unwrap()))
    /// });
    /// let show = ShowSession::new(Arc::new(store));
    /// assert_eq!(show.run(&samples::workspace(), &samples::session()).await?.standing, Standing::Open);
    /// let lost = show.run(&samples::workspace(), &SessionId::new("ses_lost")).await;
    /// assert!(matches!(lost, Err(UseCaseError::NotFound(_))));
    /// # Ok(()) });
    /// ```
    pub struct ShowSession reads (store: dyn WorkspaceStore)
}

impl ShowSession {
    /// The session as committed.
    ///
    /// # Errors
    /// When there is no such session, or its row cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<SessionView, UseCaseError> {
        let row = self.store.session(workspace, session).await?.ok_or_else(|| session_not_found(session))?;
        Ok(SessionView::from_row(&row)?)
    }

    /// Checks that there is such a session, whether its state can be read or not.
    ///
    /// # Errors
    /// When there is none, or the store cannot be read.
    pub async fn require(&self, workspace: &WorkspaceKey, session: &SessionId) -> Result<(), UseCaseError> {
        self.store.session(workspace, session).await?.map(drop).ok_or_else(|| session_not_found(session))
    }
}

use_case! {
    /// Reads a session's log: its journal, with its messages.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let read = ReadLog::new(Arc::new(samples::log("Hello.")));
    /// let entries = read.entries(&samples::workspace(), &samples::session(), 0).await?;
    /// assert_eq!(entries[0].input.label(), "UserMessageSent");
    /// assert_eq!(entries[0].messages().len(), 1);
    /// # Ok(()) });
    /// ```
    pub struct ReadLog reads (log: dyn LogReader)
}

impl ReadLog {
    /// All entries after that number, in order, read page by page; empty if this workspace has no such session.
    ///
    /// # Errors
    /// When an entry cannot be read.
    pub async fn entries(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        after: u64,
    ) -> Result<Vec<JournalEntry>, UseCaseError> {
        let page = |after| self.log.entries(workspace, session, after, PAGE);
        all_pages(page, after, |last| last.seq).await
    }

    /// The first entries after that number, in order, at most that many.
    ///
    /// # Errors
    /// When an entry cannot be read.
    pub async fn page(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        after: u64,
        most: u32,
    ) -> Result<Vec<JournalEntry>, UseCaseError> {
        let rows = self.log.entries(workspace, session, after, most).await?;
        Ok(rows.iter().map(decode_entry).collect::<Result<_, _>>()?)
    }

    /// All entries of a session after that sequence, in order, read page by page.
    ///
    /// # Errors
    /// When an entry cannot be read.
    pub async fn entries_since(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        sequence: u64,
    ) -> Result<Vec<JournalEntry>, UseCaseError> {
        let page = |after| self.log.entries_since(workspace, session, after, PAGE);
        all_pages(page, sequence, |last| last.sequence).await
    }

    /// The messages of a session, in order. A withdrawn message is marked as excluded from prompts.
    ///
    /// # Errors
    /// When an entry cannot be read.
    pub async fn conversation(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<Vec<ConversationMessage>, UseCaseError> {
        let entries = self.entries(workspace, session, 0).await?;
        let withdrawn: HashSet<&MessageId> = entries
            .iter()
            .filter_map(|entry| match &entry.input {
                Input::MessageWithdrawn { message, .. } => Some(message),
                _ => None,
            })
            .collect();
        let mut messages: Vec<ConversationMessage> =
            entries.iter().flat_map(JournalEntry::conversation).collect();
        for ConversationMessage { message, .. } in &mut messages {
            message.exclude_from_prompt |= withdrawn.contains(&message.id);
        }
        Ok(messages)
    }
}

/// Reads the entries of all pages; `number` gives the number of a page's last row, after which the next page begins.
async fn all_pages<Page: Future<Output = Result<Vec<LogRow>, StoreError>>>(
    page: impl Fn(u64) -> Page,
    mut after: u64,
    number: fn(&LogRow) -> u64,
) -> Result<Vec<JournalEntry>, UseCaseError> {
    let mut entries = Vec::new();
    loop {
        let rows = page(after).await?;
        let Some(last) = rows.last() else { return Ok(entries) };
        after = number(last);
        for row in &rows {
            entries.push(decode_entry(row)?);
        }
    }
}

/// A call with its result from the log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallView {
    /// The call from the ledger.
    pub call: Call,
    /// The stored word of its state in the ledger (also `settled_happened`, `settled_absent`, and
    /// `unknown_in_original` in a copy of the session where a person settles it).
    pub state: String,
    /// The decision on it, if any.
    pub decided: Option<CallDecision>,
    /// When it got its result.
    pub finished_at: Option<Timestamp>,
    /// Its result, or why it was not executed, in the workspace's language.
    pub content: Option<String>,
}

impl CallView {
    /// The time from its first start to its result; `None` without a start or a result.
    pub fn duration(&self) -> Option<Millis> {
        Some(self.finished_at?.since(self.call.first_started_at?))
    }
}

use_case! {
    /// Reads the ledger of a session.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let read = ReadCalls::new(Arc::new(samples::store()), Arc::new(samples::empty_log()));
    /// let calls = read.run(&samples::workspace(), &samples::session()).await?;
    /// assert_eq!(calls, [], "nothing was asked for yet");
    /// # Ok(()) });
    /// ```
    pub struct ReadCalls reads (store: dyn WorkspaceStore, log: dyn LogReader)
}

impl ReadCalls {
    /// The calls of a session in the order they were requested.
    ///
    /// # Errors
    /// When there is no such session, or a row cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<Vec<CallView>, UseCaseError> {
        if self.store.session(workspace, session).await?.is_none() {
            return Err(session_not_found(session));
        }
        let entries = ReadLog::new(self.log.clone()).entries(workspace, session, 0).await?;
        let texts = texts_of(&*self.store, workspace).await?;
        let mut decided = decisions(&entries);
        let mut views = Vec::new();
        for row in self.log.calls(workspace, session).await? {
            let call = decode_call(&row)?;
            // Entries are ordered by number.
            let brought =
                row.result_seq.and_then(|seq| entries.binary_search_by_key(&seq, |entry| entry.seq).ok());
            let from_log = brought.and_then(|index| content_of(&entries[index].input, &row.id));
            let kept = || call.result().map(|result| &result.content).filter(|content| !content.is_empty());
            let content = from_log.or_else(|| kept().map(|content| texts.render_speech(content)));
            // A rule revoked before the call started gave no approval in the end.
            let decided =
                decided.remove(&row.id).filter(|decided| decided.what != "rule" || call.reasons.is_empty());
            let (state, finished_at) = (row.state.word().to_owned(), row.finished_at);
            views.push(CallView { call, state, decided, finished_at, content });
        }
        Ok(views)
    }
}

/// The error for a session that does not exist in the workspace.
pub(super) fn session_not_found(session: &SessionId) -> UseCaseError {
    UseCaseError::NotFound(saying!("request-no-session", session = session.as_str()).into())
}
