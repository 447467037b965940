//! Routes of AG-UI, which presents sessions as threads.

mod interrupt_answers;
pub(crate) mod run;
mod run_stream;

use entracte_application::journal::JournalEntry;
use entracte_application::json_value::ExactJson;
use entracte_application::texts::ReaderLanguage;
use entracte_application::use_cases::{ReadLog, ReadRunningTree, ShowSession, UseCaseError};
use entracte_domain::id::{MessageId, SessionId, WorkspaceKey};
use entracte_domain::session::Phase;

use crate::agui::{AguiTranscript, InterruptPlace, approval_interrupt, question_interrupt};
use crate::problem::Problem;
use crate::routes::approvals::{card_context, card_of, inbox};
use crate::server_state::ServerState;
use crate::shapes::iso;

/// The journal of a thread's session.
struct AguiThread {
    entries: Vec<JournalEntry>,
}

impl AguiThread {
    /// Reads the session of a thread; `None` if it does not exist yet.
    async fn read(
        state: &ServerState,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<Option<Self>, Problem> {
        match ShowSession::new(state.ports.store.clone()).run(workspace, session).await {
            Ok(_) => {}
            Err(UseCaseError::NotFound(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        let log = ReadLog::new(state.ports.log.clone());
        Ok(Some(Self { entries: log.entries_since(workspace, session, 0).await? }))
    }
}

/// Something that a thread waits for.
struct OpenInterrupt {
    /// The session that waits: the thread's, or that of an agent below it.
    session: SessionId,
    /// The message that asks a question; `None` for an approval.
    question: Option<MessageId>,
    /// As it is told.
    told: ExactJson,
}

/// Everything that a session and the agents below it wait for, for this reader.
async fn open_interrupts(
    state: &ServerState,
    workspace: &WorkspaceKey,
    session: &SessionId,
    reader: ReaderLanguage,
) -> Result<Vec<OpenInterrupt>, Problem> {
    let mut open = Vec::new();
    for running in ReadRunningTree::new(state.ports.store.clone()).run(workspace, session).await? {
        let facts = &running.view.facts;
        let place =
            InterruptPlace { session: &facts.id, agents: &running.agents, call: running.call.as_ref() };
        match &running.view.phase {
            Phase::WaitingCommunicationResponse { question, expires } => {
                let log = ReadLog::new(state.ports.log.clone());
                let entries = log.entries_since(workspace, &facts.id, 0).await?;
                let transcript = AguiTranscript::from_entries(&entries);
                let Some(message) = transcript.pending_question() else { continue };
                let expires = expires.map(|deadline| iso(deadline.due_at));
                let told = question_interrupt(message.as_str(), question, expires, &place);
                let question = Some(message.clone());
                open.push(OpenInterrupt { session: facts.id.clone(), question, told });
            }
            _ => {
                let catalog = state.ports.catalog.get();
                let items = inbox(state, reader).read_session_items(workspace, &facts.id).await?;
                let look = card_context(state, &catalog, &items);
                open.extend(items.iter().filter_map(|item| card_of(item, &look)).map(|card| OpenInterrupt {
                    session: facts.id.clone(),
                    question: None,
                    told: approval_interrupt(&card, &place),
                }));
            }
        }
    }
    Ok(open)
}

/// The interrupts as their client gets them.
fn interrupt_values(open: Vec<OpenInterrupt>) -> Vec<ExactJson> {
    open.into_iter().map(|interrupt| interrupt.told).collect()
}
