//! What a server holds in memory for the sessions that call it: open pages, connections, variables. It is gone when the
//! server begins anew, and a model that is not told goes on as if it were there.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use entracte_application::ports::{CallRequest, LogReader};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::id::SessionId;

use crate::call_outcome::succeeded_with_files;

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

    /// Whether a call of a session is the first one to a server with memory over this connection. Without room it is not
    /// known, and nothing false is said.
    fn is_first_call(&self, session: &SessionId) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.len() < SESSIONS_MAX && !seen.contains(session) && self.memory.exists()
    }

    /// Records that a session has called over this connection, and was told so if its server began anew.
    pub(super) fn record_session(&self, session: &SessionId) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() < SESSIONS_MAX {
            seen.insert(session.clone());
        }
    }

    /// Whether the session has called `server` before, over a connection that is gone. Remains so until the session was
    /// told, and is recorded: a call may end without a result that could say it. Reads the ledger once for each session
    /// that needs not be told.
    pub(super) async fn begins_anew(
        &self,
        server: &str,
        request: &CallRequest,
        log: Option<&dyn LogReader>,
    ) -> bool {
        let is_first = self.is_first_call(&request.session);
        let has_called = match log.filter(|_| is_first) {
            None => false,
            Some(log) => match log.calls(&request.workspace, &request.session).await {
                Ok(rows) => rows.iter().any(|row| {
                    let is_of_server =
                        row.command.strip_prefix(server).is_some_and(|rest| rest.starts_with('.'));
                    is_of_server && row.id != request.call && row.attempt > 0 && row.finished_at.is_some()
                }),
                Err(error) => {
                    tracing::warn!(target: "entracte::mcp", server, %error, "it is not known whether the session has called the server before");
                    false
                }
            },
        };
        if !has_called {
            self.record_session(&request.session);
        }
        has_called
    }
}

/// The outcome of a call whose server began anew since the session called it last, with a line that says so.
pub(super) fn noted(outcome: CallOutcome, server: &str, texts: &LocalizedTexts) -> CallOutcome {
    let note = say!(texts, "tools-mcp-began-anew", server = server);
    match outcome {
        CallOutcome::Succeeded { content, files, .. } => {
            succeeded_with_files(format!("{note}\n{content}"), files)
        }
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
        assert!(process.is_first_call(&session) && process.is_first_call(&session), "it was not told yet");
        process.record_session(&session);
        assert!(!process.is_first_call(&session));
        let began = Arc::new(AtomicBool::new(false));
        let stateless = ConnectionSessions::new(ServerMemory::HttpSession(began.clone()));
        assert!(!stateless.is_first_call(&session));
        began.store(true, Ordering::SeqCst);
        assert!(stateless.is_first_call(&SessionId::new("ses_2")));
    }
}
