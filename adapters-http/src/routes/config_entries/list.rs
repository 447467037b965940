//! Lists the entries of a section of the configuration.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Admin, OperatorAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams, QueryParams};
use crate::pagination::{Page, PageQuery, page_of_list};
use crate::routes::admin::refused;
use crate::routes::config_entries::{section, shape_for};
use crate::routes::path_params::ConfigSectionPath;
use crate::server_state::ServerState;
use crate::shapes::config_entry::ConfigEntryShape;

/// The entries of a section of the configuration, by name: those in force, and those of the configuration file of the server.
/// Of secrets only where they are kept.
#[utoipa::path(
    get,
    path = "/v1/admin/config/{section}",
    operation_id = "list_config_entries",
    tag = "admin",
    params(ConfigSectionPath, PageQuery),
    responses((status = 200, body = Page<ConfigEntryShape>)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn list_config_entries(
    State(state): State<Arc<ServerState>>,
    OperatorAccess(operator, _): OperatorAccess<Admin>,
    PathParams(path): PathParams<ConfigSectionPath>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<ConfigEntryShape>> {
    let section = section(&path.section)?;
    let entries = state.ports.config_entries.entries(section).map_err(refused)?;
    let shapes = entries.iter().map(|entry| shape_for(entry, &operator)).collect();
    let key = |shape: &ConfigEntryShape| shape.name.clone();
    Ok(JsonResponse(page_of_list(shapes, section.word(), &query, key)?))
}
