//! Deletes a shared text with all its versions and proposals.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_domain::value::JsonValue;
use http::{HeaderMap, StatusCode};

use super::{TEXT, row, run_text_action};
use crate::authentication::{Chat, WorkspaceAccess};
use crate::etag::read_if_match;
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::SharedTextPath;
use crate::routes::require_unchanged;
use crate::server_state::ServerState;
use crate::shapes::command_outcome::ResultShape;
use crate::shapes::data::DataShape;

/// Deletes a shared text with all its versions and proposals: it waits for its approval.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/texts/{text}",
    operation_id = "delete_text",
    tag = "texts",
    params(SharedTextPath, ("If-Match" = String, Header)),
    responses((status = 200, body = ResultShape), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn delete_text(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<SharedTextPath>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let now = DataShape::from(&row(&state, caller.workspace(), TEXT, &path.text).await?);
    require_unchanged(&read_if_match(&headers)?, Some(now.tag()), &now)?;
    let arguments = JsonValue::from([("key", JsonValue::from(now.id))]);
    run_text_action(&state, &caller, "shared_texts.delete", arguments, StatusCode::OK).await
}
