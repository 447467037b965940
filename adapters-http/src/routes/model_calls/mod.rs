//! Routes of model calls.

pub(crate) mod count;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod parts;
pub(crate) mod settle;

use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;
use entracte_application::use_cases::{RebuildPrompt, RebuiltPrompt};
use entracte_domain::id::WorkspaceKey;

use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;

/// The use case that rebuilds past requests.
pub(in crate::routes) fn rebuild(state: &ServerState) -> RebuildPrompt {
    let ports = &state.ports;
    let (store, log, providers) = (ports.store.clone(), ports.log.clone(), ports.providers.clone());
    RebuildPrompt::new(store, log, providers, state.terms.runtime.clone())
        .with_files(Some(state.ports.files.clone()))
}

/// Rebuilds the request of exactly this call.
async fn rebuild_prompt_of_call(
    state: &ServerState,
    workspace: &WorkspaceKey,
    id: &str,
) -> Result<RebuiltPrompt, Problem> {
    let found = rebuild(state).run(workspace, id).await?;
    if found.call.id.as_str() == id {
        return Ok(found);
    }
    let text = saying!("refusal-no-model-call", call = one_line(id));
    Err(Problem::new(ProblemCode::NotFound, text))
}
