//! Lists the records of deleted sessions, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::journal::SessionDeletion;
use entracte_application::use_cases::ReadDeletions;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, latest_first, page_of_list};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::deletion::DeletionShape;

/// Which sessions were deleted, when, by whom, and what of them was open: ids, commands and digests, no arguments and no texts.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/deletions",
    operation_id = "list_deletions",
    tag = "sessions",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = Page<DeletionShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_deletions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<DeletionShape>> {
    let workspace = caller.workspace();
    // All stored records.
    let all = ReadDeletions::new(state.ports.log.clone()).run(workspace, u32::MAX).await?;
    let key = |deletion: &SessionDeletion| format!("{} {}", latest_first(deletion.at), deletion.session);
    let page = page_of_list(all, &format!("deletions {workspace}"), &query, key)?;
    Ok(JsonResponse(page.map(|deletion| DeletionShape::from(&deletion))))
}
