//! Snoozes items of the caller's inbox.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::SnoozeItems;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse, JsonResult};
use crate::routes::approvals::inbox;
use crate::routes::inbox::read_triaged_items;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::triage::{SnoozeItemsShape, TriagedItemsShape};

/// Snoozes items: they leave the inbox of who asks, and of nobody else, until then, or until something changes on them. All
/// of them, or none.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/inbox/snooze",
    operation_id = "snooze_items",
    tag = "inbox",
    params(WorkspacePath),
    request_body = SnoozeItemsShape,
    responses((status = 200, body = TriagedItemsShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn snooze_items(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    JsonBody(SnoozeItemsShape { items, until }): JsonBody<SnoozeItemsShape>,
) -> JsonResult<TriagedItemsShape> {
    if caller.find_replayed_answer(&state).await?.is_none() {
        let (store, clock) = (state.ports.store.clone(), state.ports.clock.clone());
        let (sender, settings) = (caller.mail_sender(&state), state.terms.runtime.inbox);
        let inbox = inbox(&state, caller.reader());
        let snooze = SnoozeItems::new(sender, store, clock, inbox, settings);
        snooze.run(caller.workspace(), caller.author(), &items, &until).await?;
    }
    Ok(JsonResponse(read_triaged_items(&state, &caller, items).await?))
}
