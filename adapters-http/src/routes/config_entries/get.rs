//! Reads one entry of the configuration.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::authentication::{Admin, OperatorAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::config_entries::{entry, section, shape_for, tag_of};
use crate::routes::path_params::ConfigEntryPath;
use crate::routes::response_with_etag;
use crate::server_state::ServerState;
use crate::shapes::config_entry::ConfigEntryShape;

/// One entry of the configuration, without secrets. Its tag is that of the entry in the configuration file of the server; one
/// that comes from elsewhere has none.
#[utoipa::path(
    get,
    path = "/v1/admin/config/{section}/{entry}",
    operation_id = "get_config_entry",
    tag = "admin",
    params(ConfigEntryPath),
    responses((status = 200, body = ConfigEntryShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn get_config_entry(
    State(state): State<Arc<ServerState>>,
    OperatorAccess(operator, _): OperatorAccess<Admin>,
    PathParams(path): PathParams<ConfigEntryPath>,
) -> Result<Response, Problem> {
    let found = entry(&state, section(&path.section)?, &path.entry)?;
    Ok(response_with_etag(tag_of(Some(&found)), shape_for(&found, &operator)))
}
