//! Reads a session.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::use_cases::ShowSession;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::SessionPath;
use crate::routes::response_with_etag;
use crate::routes::sessions::shape;
use crate::server_state::ServerState;
use crate::shapes::session::SessionShape;

/// A session.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}",
    operation_id = "get_session",
    tag = "sessions",
    params(SessionPath),
    responses((status = 200, body = SessionShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
) -> Result<Response, Problem> {
    let view = ShowSession::new(state.ports.store.clone()).run(caller.workspace(), &path.session()).await?;
    let shape = shape(&state, &view).await?;
    Ok(response_with_etag(Some(shape.tag()), shape))
}
