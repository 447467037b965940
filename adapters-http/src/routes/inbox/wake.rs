//! Ends snoozes of the caller.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::WakeItems;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse, JsonResult};
use crate::routes::inbox::read_triaged_items;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::triage::{TriagedItemsShape, WakeItemsShape};

/// Ends snoozes of who asks: the items are in their inbox again. All of them, or none.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/inbox/wake",
    operation_id = "wake_items",
    tag = "inbox",
    params(WorkspacePath),
    request_body = WakeItemsShape,
    responses((status = 200, body = TriagedItemsShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn wake_items(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    JsonBody(WakeItemsShape { items }): JsonBody<WakeItemsShape>,
) -> JsonResult<TriagedItemsShape> {
    if caller.find_replayed_answer(&state).await?.is_none() {
        let settings = state.terms.runtime.inbox;
        let wake = WakeItems::new(caller.mail_sender(&state), state.ports.log.clone(), settings);
        wake.run(caller.workspace(), caller.author(), &items).await?;
    }
    Ok(JsonResponse(read_triaged_items(&state, &caller, items).await?))
}
