//! AG-UI 1.0, the protocol of other people's chat windows: a session as their thread, told by the same frames as every
//! stream. Pure: what a client sends is read here, and what it is told is written here ([`crate::routes`] asks and reads).

mod events;
mod input;
mod interrupts;
mod transcript;

pub(crate) use events::{AguiEventWriter, SessionActivity};
pub(crate) use input::{InputMessage, ResumeEntry, ResumeStatus, RunAgentInput};
pub(crate) use interrupts::{
    InterruptAnswer, approval_id, approval_interrupt, parse_interrupt_answer, question_id, question_interrupt,
};
pub(crate) use transcript::AguiTranscript;

use entracte_application::system::sha256;
use entracte_domain::id::{SessionId, WorkspaceKey};

/// The version of the protocol that is spoken.
pub(crate) const PROTOCOL: &str = "1.0";

/// What the id of a session begins with.
const SESSION: &str = "ses_";

/// Letters of the part of an id that is derived of a thread: 100 bits.
const DERIVED: usize = 25;

/// The session of a thread. A client may name a session by its id. Any other name is its own: the session that it stands
/// for is derived of it, so that nothing has to be kept, a retry makes no second one, and nobody guesses into another
/// workspace.
pub(crate) fn session_of(workspace: &WorkspaceKey, thread: &str) -> SessionId {
    if thread.starts_with(SESSION) {
        return SessionId::new(thread);
    }
    let digest = sha256(format!("agui\n{workspace}\n{thread}").as_bytes());
    SessionId::new(format!("{SESSION}t{}", digest.as_str().get(..DERIVED).unwrap_or_default()))
}

/// Whether a thread has a name that its client gave it.
pub(crate) fn is_client_thread_name(thread: &str) -> bool {
    !thread.starts_with(SESSION)
}

#[cfg(test)]
mod tests;
