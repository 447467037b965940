//! Assigns items of the inbox to a person, or to nobody.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::AssignItems;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse, JsonResult};
use crate::routes::approvals::inbox;
use crate::routes::inbox::{ME, read_triaged_items};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::triage::{AssignItemsShape, TriagedItemsShape};

/// Assigns items to a person, or to nobody. The person is notified by their own targets. It gives no permission: whoever may
/// decide on an item still may. All of them, or none.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/inbox/assign",
    operation_id = "assign_items",
    tag = "inbox",
    params(WorkspacePath),
    request_body = AssignItemsShape,
    responses((status = 200, body = TriagedItemsShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn assign_items(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    JsonBody(AssignItemsShape { items, person }): JsonBody<AssignItemsShape>,
) -> JsonResult<TriagedItemsShape> {
    if caller.find_replayed_answer(&state).await?.is_none() {
        let (access, settings) = (state.ports.access.clone(), state.terms.runtime.inbox);
        let inbox = inbox(&state, caller.reader());
        let assign = AssignItems::new(caller.mail_sender(&state), access, inbox, settings);
        let own_name = &caller.principal().person().name;
        let person = person.as_deref().map(|name| if name == ME { own_name.as_str() } else { name });
        assign.run(caller.workspace(), &caller.author(), &items, person).await?;
    }
    Ok(JsonResponse(read_triaged_items(&state, &caller, items).await?))
}
