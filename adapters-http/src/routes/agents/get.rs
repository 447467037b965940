//! Reads an agent that sessions may call.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::problem::{Problem, ProblemCode};
use crate::routes::agents::shape;
use crate::routes::path_params::AgentPath;
use crate::server_state::ServerState;
use crate::shapes::agent::DeclaredAgentShape;

/// An agent that sessions may call: what it is told, which commands it may ask for, its limits.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/agents/{agent}",
    operation_id = "get_declared_agent",
    tag = "agents",
    params(AgentPath),
    responses((status = 200, body = DeclaredAgentShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_declared_agent(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<AgentPath>,
) -> JsonResult<DeclaredAgentShape> {
    let agents = state.terms.entries.agents.get();
    let found = agents.iter().find(|agent| agent.name == path.agent);
    let found = found.ok_or_else(|| {
        Problem::new(ProblemCode::NotFound, saying!("agents-unknown", agent = one_line(&path.agent)))
    })?;
    let texts = state.texts_for(caller.workspace(), caller.reader()).await?;
    Ok(JsonResponse(shape(&state.ports.catalog.get(), found, texts)))
}
