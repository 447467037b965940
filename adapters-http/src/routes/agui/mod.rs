//! Routes of AG-UI, which presents sessions as threads.

mod interrupt_answers;
pub(crate) mod run;
mod run_stream;

use entracte_application::journal::JournalEntry;
use entracte_application::use_cases::{ReadLog, SessionView, ShowSession, UseCaseError};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::Phase;
use serde_json::Value;

use crate::agui::{AguiTranscript, approval_interrupt, question_interrupt};
use crate::problem::Problem;
use crate::routes::approvals::{card_of, inbox};
use crate::server_state::ServerState;
use crate::shapes::card::CardContext;
use crate::shapes::iso;

/// A thread with its session and journal.
struct AguiThread {
    view: SessionView,
    entries: Vec<JournalEntry>,
}

impl AguiThread {
    /// Reads the session of a thread; `None` if it does not exist yet.
    async fn read(
        state: &ServerState,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<Option<Self>, Problem> {
        let view = match ShowSession::new(state.ports.store.clone()).run(workspace, session).await {
            Ok(view) => view,
            Err(UseCaseError::NotFound(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let log = ReadLog::new(state.ports.log.clone());
        Ok(Some(Self { view, entries: log.entries_since(workspace, session, 0).await? }))
    }
}

/// Everything that a session waits for, as interrupts.
async fn interrupts(
    state: &ServerState,
    workspace: &WorkspaceKey,
    session: &SessionId,
    told: &AguiTranscript,
) -> Result<Vec<Value>, Problem> {
    let view = ShowSession::new(state.ports.store.clone()).run(workspace, session).await?;
    if let Phase::WaitingCommunicationResponse { question, expires } = &view.phase {
        let expires = expires.map(|deadline| iso(deadline.due_at));
        let asked =
            told.pending_question().map(|message| question_interrupt(message.as_str(), question, expires));
        return Ok(asked.into_iter().collect());
    }
    let catalog = state.ports.catalog.get();
    let items = inbox(state).read_session_items(workspace, session).await?;
    let look = CardContext { catalog: &catalog, now: state.ports.clock.now(), items: &items };
    Ok(items.iter().filter_map(|item| card_of(item, &look)).map(|card| approval_interrupt(&card)).collect())
}
