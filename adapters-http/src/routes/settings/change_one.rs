//! Changes one setting of a workspace.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::{JsonBody, PathParams};
use crate::problem::Problem;
use crate::routes::path_params::SettingPath;
use crate::routes::settings::put;
use crate::server_state::ServerState;
use crate::shapes::workspace::SettingShape;

/// Changes one setting of a workspace.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/settings/{key}",
    operation_id = "change_setting",
    tag = "settings",
    params(SettingPath, ("If-Match" = String, Header)),
    request_body = ValueShape,
    responses((status = 200, body = SettingShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn change_setting(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    PathParams(path): PathParams<SettingPath>,
    headers: HeaderMap,
    JsonBody(new): JsonBody<ValueShape>,
) -> Result<Response, Problem> {
    put(&state, &caller, &headers, &path.key, Some(new.value)).await
}

/// A value.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ValueShape {
    /// As text.
    value: String,
}
