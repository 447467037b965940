//! Exports a session as a file for a later import.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use entracte_application::use_cases::{AddExportFiles, ExportSession, UseCaseError};
use http::{HeaderValue, header};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{PathParams, QueryParams};
use crate::problem::Problem;
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;

/// What is exported.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SessionExportQuery {
    /// With the agents below the session; true unless given.
    with_agents: Option<bool>,
    /// With the bytes of the files that its messages and results name; true unless given.
    with_files: Option<bool>,
}

/// A session as a file, from which it can be imported.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/export",
    operation_id = "export_session",
    tag = "sessions",
    params(SessionPath, SessionExportQuery),
    responses((status = 200, body = Object, content_type = "application/json")),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn export_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
    QueryParams(query): QueryParams<SessionExportQuery>,
) -> Result<Response, Problem> {
    let export = ExportSession::new(state.ports.store.clone(), state.ports.log.clone());
    let (workspace, session) = (caller.workspace(), path.session());
    let document = match query.with_agents.unwrap_or(true) {
        true => export.run(workspace, &session).await?,
        false => export.run_alone(workspace, &session).await?,
    };
    let document = match query.with_files.unwrap_or(true) {
        true => AddExportFiles::new(state.ports.files.clone()).run(workspace, document).await?,
        false => document,
    };
    let text = document.encode().map_err(UseCaseError::from)?;
    let kind = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}
