//! Reads an entry of a tool.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::data::entry_of;
use crate::routes::data::path_params::DataEntryPath;
use crate::routes::response_with_etag;
use crate::server_state::ServerState;
use crate::shapes::data::DataShape;

/// An entry of a tool.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tools/{tool}/entries/{e}",
    operation_id = "get_entry",
    tag = "data",
    params(DataEntryPath),
    responses((status = 200, body = DataShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_entry(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<DataEntryPath>,
) -> Result<Response, Problem> {
    let shape = DataShape::from(&entry_of(&state, caller.workspace(), &path.tool, &path.e).await?);
    Ok(response_with_etag(Some(shape.tag()), shape))
}
