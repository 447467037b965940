//! Lists the entries of a tool, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::ResourceFilter;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams, QueryParams};
use crate::pagination::{Page, PageQuery};
use crate::routes::data::path_params::ToolPath;
use crate::routes::data::{ENTRY, TOOL, page, row};
use crate::routes::instant_of;
use crate::server_state::ServerState;
use crate::shapes::data::DataShape;

/// Which entries.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DataEntriesQuery {
    /// Entries about this instant or a later one, as RFC 3339.
    from: Option<String>,
    /// Entries about an earlier instant than this.
    until: Option<String>,
    /// At most this many items, 1 to 200; 50 unless given.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<String>,
}

/// The entries of a tool, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tools/{tool}/entries",
    operation_id = "list_entries",
    tag = "data",
    params(ToolPath, DataEntriesQuery),
    responses((status = 200, body = Page<DataShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_entries(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<ToolPath>,
    QueryParams(query): QueryParams<DataEntriesQuery>,
) -> JsonResult<Page<DataShape>> {
    let tool = row(&state, caller.workspace(), TOOL, &path.tool).await?;
    let filter = ResourceFilter {
        kind: ENTRY.to_owned(),
        parent: Some(tool.id),
        from: instant_of("from", query.from)?,
        until: instant_of("until", query.until)?,
        ..ResourceFilter::default()
    };
    let which = PageQuery { limit: query.limit, after: query.after };
    Ok(JsonResponse(page(&state, caller.workspace(), filter, &which).await?))
}
