//! Lists the commands of the catalog, by name.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::settings_of;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, page_of_list};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::workspace::CommandShape;

/// The commands of the catalog, by name.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/commands",
    operation_id = "list_commands",
    tag = "commands",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = Page<CommandShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_commands(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<CommandShape>> {
    let language = settings_of(&*state.ports.store, caller.workspace()).await?.language;
    let catalog = state.ports.catalog.get();
    let shapes = catalog.specs().iter().map(|spec| CommandShape::new(spec, language)).collect();
    Ok(JsonResponse(page_of_list(shapes, "commands", &query, |shape: &CommandShape| shape.name.clone())?))
}
