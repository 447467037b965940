//! Says for how long a person counts as present.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use serde::Serialize;
use utoipa::ToSchema;

/// Says that the person is present. Who reads a stream is present without it; nothing depends on this any more, and clients
/// that say it go on.
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
    _: WorkspaceAccess<Read>,
) -> JsonResult<PresenceShape> {
    Ok(JsonResponse(PresenceShape { lasts_ms: state.terms.limits.presence_lasts.0 }))
}

/// That somebody counts as present.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct PresenceShape {
    /// For how long, in milliseconds, unless they say so again.
    lasts_ms: i64,
}
