//! Marks the messages that a person has read, up to this sequence number of the session.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::MarkRead;
use http::StatusCode;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonBody, PathParams};
use crate::problem::Problem;
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::message::ReadShape;

/// Marks what a person has read, up to this number of the session.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}/sessions/{s}/read",
    operation_id = "mark_read",
    tag = "sessions",
    params(SessionPath),
    request_body = ReadShape,
    responses((status = 204)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn mark_read(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
    JsonBody(read): JsonBody<ReadShape>,
) -> Result<StatusCode, Problem> {
    let mark = MarkRead::new(caller.mail_sender(&state));
    mark.run(caller.workspace(), &path.session(), caller.author(), read.sequence).await?;
    Ok(StatusCode::NO_CONTENT)
}
