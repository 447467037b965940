use std::sync::Arc;

use entracte_domain::command::Call;
use entracte_domain::id::SessionId;
use entracte_domain::message::Message;
use entracte_domain::session::{Phase, SessionFacts, Standing, standing};
use entracte_domain::time::Timestamp;

use super::UseCaseError;
use crate::codec::{Entry, WorkspaceBody, decode_call, decode_entry, decode_snapshot};
use crate::commands::content_of;
use crate::ports::{LogReader, SessionFilter, SessionRow, Store};
use crate::settings::Language;
use crate::texts::Texts;

/// Entries read at once.
const PAGE: u32 = 500;

/// Lists sessions: what waits for a person first, then what works, then what ended.
pub struct ListSessions {
    log: Arc<dyn LogReader>,
}

impl ListSessions {
    /// Over this log.
    pub fn new(log: Arc<dyn LogReader>) -> Self {
        Self { log }
    }

    /// The sessions that the filter lets through.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn run(&self, filter: &SessionFilter) -> Result<Vec<SessionRow>, UseCaseError> {
        Ok(self.log.sessions(filter).await?)
    }
}

/// A session as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionView {
    /// What is known of it.
    pub facts: SessionFacts,
    /// Where it stands.
    pub phase: Phase,
    /// May it work?
    pub standing: Standing,
    /// When it is woken next.
    pub wake_at: Option<Timestamp>,
}

/// Shows one session.
pub struct ShowSession {
    store: Arc<dyn Store>,
}

impl ShowSession {
    /// Over this store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// The session as it is committed.
    ///
    /// # Errors
    /// When there is no such session, or its row cannot be read.
    pub async fn run(&self, session: &SessionId) -> Result<SessionView, UseCaseError> {
        let Some(row) = self.store.session(session).await? else {
            return Err(UseCaseError::NotFound(format!(
                "there is no session {session}; list them: entracte session list"
            )));
        };
        let snapshot = decode_snapshot(&row.body)?;
        let standing = standing(&snapshot.facts, &snapshot.phase);
        Ok(SessionView { facts: snapshot.facts, phase: snapshot.phase, standing, wake_at: row.wake_at })
    }
}

/// Reads a session's log: its journal, and the messages in it.
pub struct ReadLog {
    log: Arc<dyn LogReader>,
}

impl ReadLog {
    /// Over this log.
    pub fn new(log: Arc<dyn LogReader>) -> Self {
        Self { log }
    }

    /// The entries after that number, in order; all of them, page by page.
    ///
    /// # Errors
    /// When an entry cannot be read.
    pub async fn entries(&self, session: &SessionId, after: u64) -> Result<Vec<Entry>, UseCaseError> {
        let mut entries = Vec::new();
        let mut after = after;
        loop {
            let rows = self.log.entries(session, after, PAGE).await?;
            let Some(last) = rows.last() else { return Ok(entries) };
            after = last.seq;
            for row in &rows {
                entries.push(decode_entry(row)?);
            }
        }
    }

    /// The messages of a session, in order.
    ///
    /// # Errors
    /// When an entry cannot be read.
    pub async fn messages(&self, session: &SessionId) -> Result<Vec<Message>, UseCaseError> {
        let entries = self.entries(session, 0).await?;
        Ok(entries.iter().flat_map(Entry::messages).collect())
    }
}

/// A call with what the log says of its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallView {
    /// The call.
    pub call: Call,
    /// The word for its state, as the ledger has it (also `settled_happened`, `settled_absent`, and
    /// `unknown_in_original` in a copy of the session where a person settles it).
    pub state: String,
    /// When it got its result.
    pub finished_at: Option<Timestamp>,
    /// What it answered, or why it was not done, in the words of the workspace's language.
    pub content: Option<String>,
}

/// Reads the ledger of a session.
pub struct ReadCalls {
    store: Arc<dyn Store>,
    log: Arc<dyn LogReader>,
}

impl ReadCalls {
    /// Over this store and this log.
    pub fn new(store: Arc<dyn Store>, log: Arc<dyn LogReader>) -> Self {
        Self { store, log }
    }

    /// The calls of a session in the order they were asked for.
    ///
    /// # Errors
    /// When a row cannot be read.
    pub async fn run(&self, session: &SessionId) -> Result<Vec<CallView>, UseCaseError> {
        let entries = ReadLog::new(self.log.clone()).entries(session, 0).await?;
        let texts = self.texts(session).await?;
        let mut views = Vec::new();
        for row in self.log.calls(session).await? {
            let call = decode_call(&row)?;
            // Entries come in the order of their numbers.
            let brought =
                row.result_seq.and_then(|seq| entries.binary_search_by_key(&seq, |entry| entry.seq).ok());
            let from_log = brought.and_then(|index| content_of(&entries[index].input, &row.id));
            let kept = || call.result().map(|result| &result.content).filter(|content| !content.is_empty());
            let content = from_log.or_else(|| kept().map(|content| texts.speak(content)));
            views.push(CallView { call, state: row.state, finished_at: row.finished_at, content });
        }
        Ok(views)
    }

    /// The texts of the session's workspace.
    async fn texts(&self, session: &SessionId) -> Result<&'static Texts, UseCaseError> {
        let language = match self.store.session(session).await? {
            Some(row) => WorkspaceBody::load(&*self.store, &row.workspace).await?.settings.language,
            None => Language::default(),
        };
        Ok(Texts::of(language))
    }
}
