//! Reads the metrics of a session.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{MeasureContext, MeasureSession};

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::session::MetricsShape;

/// How a session has gone so far.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/metrics",
    operation_id = "get_metrics",
    tag = "sessions",
    params(SessionPath),
    responses((status = 200, body = MetricsShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_metrics(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
) -> JsonResult<MetricsShape> {
    let (store, log) = (state.ports.store.clone(), state.ports.log.clone());
    let (workspace, session) = (caller.workspace(), path.session());
    let metrics = MeasureSession::new(store.clone(), log.clone()).run(workspace, &session).await?;
    let (runtime, rules) = (state.terms.runtime.clone(), state.terms.rules.clone());
    let measure = MeasureContext::new(store, log, state.ports.providers.clone(), runtime, rules);
    let full = measure.run(workspace, &session).await?;
    Ok(JsonResponse(MetricsShape::new(&metrics, &full)))
}
