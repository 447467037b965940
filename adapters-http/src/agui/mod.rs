//! AG-UI 1.0, a protocol of third-party chat clients: a session is one of their threads, and its events come from the
//! same frames as every stream. Pure: input is parsed and output is written here; [`crate::routes`] performs the
//! requests.

mod events;
mod input;
mod interrupts;
mod transcript;

pub(crate) use events::{AguiActivity, AguiEventWriter};
pub(crate) use input::{InputContent, InputFile, InputMessage, ResumeEntry, ResumeStatus, RunAgentInput};
pub(crate) use interrupts::{
    InterruptAnswer, InterruptPlace, approval_interrupt, approval_interrupt_id, parse_interrupt_answer,
    question_id, question_interrupt,
};
pub(crate) use transcript::AguiTranscript;

use entracte_application::json_value::from_serde;
use entracte_application::system::sha256;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::value::JsonValue;
use serde_json::Value;

/// Supported version of the protocol.
pub(crate) const PROTOCOL: &str = "1.0";

/// Prefix of session ids.
const SESSION: &str = "ses_";

/// Characters of a derived session id: 100 bits.
const DERIVED: usize = 25;

/// The session of a thread. A client may use a session id as thread id. From any other thread id the session id is
/// derived, so that no mapping needs to be stored, a retry creates no second session, and a client cannot guess a
/// session of another workspace.
pub(crate) fn session_of(workspace: &WorkspaceKey, thread: &str) -> SessionId {
    if thread.starts_with(SESSION) {
        return SessionId::new(thread);
    }
    let digest = sha256(format!("agui\n{workspace}\n{thread}").as_bytes());
    SessionId::new(format!("{SESSION}t{}", digest.as_str().get(..DERIVED).unwrap_or_default()))
}

/// An object with one more member, whose numbers keep their digits.
fn with_member(object: &Value, name: &str, member: JsonValue) -> JsonValue {
    let mut members = from_serde(object).as_object().unwrap_or_default().to_vec();
    members.push((name.to_owned(), member));
    JsonValue::Object(members).sorted()
}

/// Whether the thread id was chosen by the client, so that the session id is derived from it.
pub(crate) fn is_client_thread_name(thread: &str) -> bool {
    !thread.starts_with(SESSION)
}

#[cfg(test)]
mod tests;
