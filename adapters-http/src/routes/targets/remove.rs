//! Removes a target with all that it was told, and the links it was sent.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::RemoveNotificationTarget;
use http::StatusCode;

use crate::access::{Access, Approve};
use crate::body::Path;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::path::OfTarget;
use crate::routes::targets::{may_touch, target};

/// Removes a notification target, with what it was sent and its links.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/targets/{target}",
    operation_id = "remove_target",
    tag = "targets",
    params(OfTarget),
    responses((status = 204)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn remove_target(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Approve>,
    Path(path): Path<OfTarget>,
) -> Result<StatusCode, Problem> {
    let view = target(&house, &caller, &path.target).await?;
    may_touch(&caller, &view.target)?;
    let remove = RemoveNotificationTarget::new(house.ports.outbox.clone(), house.ports.store.clone());
    remove.run(caller.workspace(), &path.target).await?;
    Ok(StatusCode::NO_CONTENT)
}
