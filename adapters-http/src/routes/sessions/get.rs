//! Reads a session.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::use_cases::ShowSession;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{PathParams, QueryParams};
use crate::problem::Problem;
use crate::routes::path_params::SessionPath;
use crate::routes::response_with_etag;
use crate::routes::sessions::details::add_details;
use crate::routes::sessions::shape;
use crate::server_state::ServerState;
use crate::shapes::session::SessionShape;

/// A session.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}",
    operation_id = "get_session",
    tag = "sessions",
    params(SessionPath, SessionQuery),
    responses((status = 200, body = SessionShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
    QueryParams(query): QueryParams<SessionQuery>,
) -> Result<Response, Problem> {
    let view = ShowSession::new(state.ports.store.clone()).run(caller.workspace(), &path.session()).await?;
    let shape = shape(&state, &caller, &view).await?;
    let is_embedded = caller.principal().token().embedded.is_some();
    let shape = match query.details.unwrap_or(false) && !is_embedded {
        true => add_details(&state, &view, shape, caller.reader()).await?,
        false => shape,
    };
    Ok(response_with_etag(Some(shape.tag()), shape))
}

/// How much of a session.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SessionQuery {
    /// Also `position`, `slot`, `trigger`, `automation_version`, `tasks`, `metrics` and `policies`; false unless given.
    details: Option<bool>,
}
