//! Records that a person is present: model text is streamed while anyone is.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use serde::Serialize;
use utoipa::ToSchema;

/// Says that the person is present: the words of models are streamed while somebody is. Nothing else depends on it.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}/presence",
    operation_id = "say_present",
    tag = "events",
    params(WorkspacePath),
    responses((status = 200, body = PresenceShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn mark_present(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
) -> JsonResult<PresenceShape> {
    let lasts = state.terms.limits.presence_lasts;
    let now = state.ports.clock.monotonic();
    state.audience.record_presence(caller.workspace(), &caller.principal().person().id, now, lasts);
    Ok(JsonResponse(PresenceShape { lasts_ms: lasts.0 }))
}

/// That somebody counts as present.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct PresenceShape {
    /// For how long, in milliseconds, unless they say so again.
    lasts_ms: i64,
}
