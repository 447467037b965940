//! Routes of calls.

pub(crate) mod get;
pub(crate) mod settle;

use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};

use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;

fn no_call(call: &CallId) -> Problem {
    Problem::new(ProblemCode::NotFound, saying!("request-no-call", call = one_line(call.as_str())))
}

async fn session_of(
    state: &ServerState,
    workspace: &WorkspaceKey,
    call: &CallId,
) -> Result<SessionId, Problem> {
    let row = state.ports.log.call(workspace, call).await?;
    Ok(row.ok_or_else(|| no_call(call))?.session)
}
