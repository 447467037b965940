//! Changes the notifications of a target, or switches it on or off.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{ChangeNotificationTarget, NotificationTargetView};

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::TargetPath;
use crate::routes::targets::{may_touch, may_want, shape, target, wrong};
use crate::server_state::ServerState;
use crate::shapes::target::{TargetEditShape, TargetShape};

/// Changes what a target is notified of, or switches it off or on.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/targets/{target}",
    operation_id = "change_target",
    tag = "targets",
    params(TargetPath),
    request_body = TargetEditShape,
    responses((status = 200, body = TargetShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn change_target(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<TargetPath>,
    JsonBody(edit): JsonBody<TargetEditShape>,
) -> JsonResult<TargetShape> {
    let ports = &state.ports;
    let NotificationTargetView { mut target, mut row } = target(&state, &caller, &path.target).await?;
    may_touch(&caller, &target)?;
    target.wants = edit.wants.unwrap_or_default().merge_into(target.wants).map_err(wrong)?;
    may_want(&caller, &target.wants)?;
    // Only its person may make a target act in their name.
    may_touch(&caller, &target)?;
    row.disabled = match edit.enabled {
        Some(true) => None,
        Some(false) => Some(caller.author()),
        None => row.disabled,
    };
    let change =
        ChangeNotificationTarget::new(ports.outbox.clone(), ports.store.clone(), ports.sender.clone());
    Ok(JsonResponse(
        shape(&state, &caller, &change.run(NotificationTargetView { target, row }).await?).await?,
    ))
}
