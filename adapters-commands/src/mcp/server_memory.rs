//! What a server holds in memory for the sessions that call it: open pages, connections, variables. It is gone when the
//! server begins anew, and a model that is not told goes on as if it were there.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use entracte_application::ports::{CallRequest, LogReader};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::id::SessionId;

use crate::call_outcome::succeeded;

/// Whether the server of a connection may hold something in memory between two calls.
#[derive(Clone, Debug)]
pub(super) enum ServerMemory {
    /// A process, which may hold anything.
    Process,
    /// A server with an address, which holds something only if it began a session of its own.
    HttpSession(Arc<AtomicBool>),
}

impl ServerMemory {
    fn exists(&self) -> bool {
        match self {
            Self::Process => true,
            Self::HttpSession(began) => began.load(Ordering::SeqCst),
        }
    }
}

/// The sessions that have called a server over one connection.
#[derive(Debug)]
pub(super) struct ConnectionSessions {
    memory: ServerMemory,
    seen: Mutex<HashSet<SessionId>>,
}

impl ConnectionSessions {
    pub(super) fn new(memory: ServerMemory) -> Self {
        Self { memory, seen: Mutex::default() }
    }

    /// Records a call of a session. Returns whether it is the first one to a server with memory over this connection.
    fn record_first_call(&self, session: &SessionId) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        // Without room it is unknown whether a call is the first, and nothing false is said.
        seen.len() < SESSIONS_MAX && seen.insert(session.clone()) && self.memory.exists()
    }

    /// Records a call to `server`. Returns whether the session has called the server before, over a connection that is
    /// gone. Reads the ledger once for each session.
    pub(super) async fn begins_anew(
        &self,
        server: &str,
        request: &CallRequest,
        log: Option<&dyn LogReader>,
    ) -> bool {
        let is_first = self.record_first_call(&request.session);
        let Some(log) = log.filter(|_| is_first) else { return false };
        match log.calls(&request.workspace, &request.session).await {
            Ok(rows) => rows.iter().any(|row| {
                let is_of_server = row.command.strip_prefix(server).is_some_and(|rest| rest.starts_with('.'));
                is_of_server && row.id != request.call && row.attempt > 0 && row.finished_at.is_some()
            }),
            Err(error) => {
                tracing::warn!(target: "entracte::mcp", server, %error, "it is not known whether the session has called the server before");
                false
            }
        }
    }
}

/// The outcome of a call whose server began anew since the session called it last, with a line that says so.
pub(super) fn noted(outcome: CallOutcome, server: &str, texts: &LocalizedTexts) -> CallOutcome {
    let note = say!(texts, "tools-mcp-began-anew", server = server);
    match outcome {
        CallOutcome::Succeeded { content, .. } => succeeded(format!("{note}\n{content}")),
        CallOutcome::Failed(failure) => {
            let message = format!("{note}\n{}", failure.message);
            CallOutcome::Failed(CallFailure { message, ..failure })
        }
        other => other,
    }
}

/// The most sessions that are remembered for a connection.
const SESSIONS_MAX: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_first_call_over_a_connection_to_a_server_with_memory_counts() {
        let session = SessionId::new("ses_1");
        let process = ConnectionSessions::new(ServerMemory::Process);
        assert!(process.record_first_call(&session) && !process.record_first_call(&session));
        let began = Arc::new(AtomicBool::new(false));
        let stateless = ConnectionSessions::new(ServerMemory::HttpSession(began.clone()));
        assert!(!stateless.record_first_call(&session));
        began.store(true, Ordering::SeqCst);
        assert!(stateless.record_first_call(&SessionId::new("ses_2")));
    }
}
