//! Lists the people of a workspace, by name.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::{AccessReach, Person};
use entracte_application::use_cases::ListTokens;

use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, page_of_list};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::token::PersonShape;

/// The people of a workspace, by name.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/people",
    operation_id = "list_people",
    tag = "tokens",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = Page<PersonShape>)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn list_people(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<PersonShape>> {
    let here = AccessReach::Workspace(caller.workspace().clone());
    let people = ListTokens::new(state.ports.access.clone()).people(&here).await?;
    let list = format!("people {}", caller.workspace());
    let page = page_of_list(people, &list, &query, |person: &Person| person.name.clone())?;
    Ok(JsonResponse(page.map(|person| PersonShape::from(&person))))
}
