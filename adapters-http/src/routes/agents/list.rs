//! Lists the agents that sessions may call, by name.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, page_of_list};
use crate::routes::agents::shape;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::agent::DeclaredAgentShape;

/// The agents that sessions may call, by name: the same in every workspace.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/agents",
    operation_id = "list_declared_agents",
    tag = "agents",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = Page<DeclaredAgentShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_declared_agents(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<DeclaredAgentShape>> {
    let catalog = state.ports.catalog.get();
    let texts = state.texts_for(caller.workspace(), caller.reader()).await?;
    let agents = state.terms.entries.agents.get();
    let agents = agents.iter().map(|agent| shape(&catalog, agent, texts)).collect();
    Ok(JsonResponse(page_of_list(agents, "agents", &query, |agent| agent.name.clone())?))
}
