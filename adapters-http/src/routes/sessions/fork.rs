//! Creates a session that begins with the state of this one.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::use_cases::{ForkSession, ShowSession};
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonBody, PathParams};
use crate::problem::Problem;
use crate::routes::path_params::SessionPath;
use crate::routes::response_with_etag;
use crate::routes::sessions::shape;
use crate::server_state::ServerState;
use crate::shapes::session::SessionShape;

/// Creates a session as a copy of this one.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/fork",
    operation_id = "fork_session",
    tag = "sessions",
    params(SessionPath),
    request_body = ForkShape,
    responses((status = 201, body = SessionShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn fork_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<SessionPath>,
    JsonBody(fork): JsonBody<ForkShape>,
) -> Result<(StatusCode, Response), Problem> {
    let (ports, workspace) = (&state.ports, caller.workspace());
    let use_case = ForkSession::new(caller.mail_sender(&state), ports.store.clone(), ports.ids.clone());
    let forked = use_case.run(workspace, &path.session(), caller.author(), fork.at, fork.name).await?;
    let view = ShowSession::new(ports.store.clone()).run(workspace, &forked.session).await?;
    let shape = shape(&state, &caller, &view).await?;
    Ok((StatusCode::CREATED, response_with_etag(Some(shape.tag()), shape)))
}

/// Where it branches off.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForkShape {
    /// After this entry of the session; none: the latest.
    at: Option<u64>,
    /// The name of the new one.
    name: Option<String>,
}
