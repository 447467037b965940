//! Lists the agents below a session.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ReadAgentTree;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::agent::{AgentShape, AgentsShape};

/// The agents that a session has called, and those that they called: each before those below it.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/agents",
    operation_id = "list_agents",
    tag = "sessions",
    params(SessionPath),
    responses((status = 200, body = AgentsShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_agents(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
) -> JsonResult<AgentsShape> {
    let read = ReadAgentTree::new(state.ports.store.clone(), state.ports.log.clone());
    let nodes = read.run(caller.workspace(), &path.session()).await?;
    Ok(JsonResponse(AgentsShape { agents: nodes.iter().map(AgentShape::from).collect() }))
}
