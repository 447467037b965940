//! Records the model's output in a session as a rehearsal script.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use entracte_application::texts::saying;
use entracte_application::use_cases::{ReadLog, ShowSession};
use http::{HeaderValue, header};

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::{Problem, ProblemCode};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;

/// What a model said in a session, as a script in TOML that plays it again without a model: nothing that people wrote, no
/// results and no secrets.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/script",
    operation_id = "record_session",
    tag = "sessions",
    params(SessionPath),
    responses((status = 200, body = String, content_type = "application/toml")),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn record_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
) -> Result<Response, Problem> {
    let (workspace, session) = (caller.workspace(), path.session());
    ShowSession::new(state.ports.store.clone()).run(workspace, &session).await?;
    let entries = ReadLog::new(state.ports.log.clone()).entries(workspace, &session, 0).await?;
    let script = (state.ports.recorder)(workspace, &session, &entries)
        .ok_or_else(|| Problem::new(ProblemCode::NotApplicable, saying!("refusal-no-model-spoke")))?;
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("application/toml"))], script).into_response())
}
