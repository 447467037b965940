//! Says that the work of a run is not done.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::RejectCompletion;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::access::{Access, Approve};
use crate::body::{Answer, Body, Json, Path};
use crate::house::House;
use crate::routes::path::OfSession;
use crate::shapes::session::AcceptedShape;

/// Says that the work of a run is not done.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/reject-completion",
    operation_id = "reject_completion",
    tag = "sessions",
    params(OfSession),
    request_body = RejectionShape,
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn reject_completion(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Approve>,
    Path(path): Path<OfSession>,
    Body(rejection): Body<RejectionShape>,
) -> Answer<AcceptedShape> {
    let reject = RejectCompletion::new(caller.sender(&house));
    let (workspace, session) = (caller.workspace(), path.session());
    Ok(Json(reject.run(workspace, &session, caller.author(), rejection.reason).await?.into()))
}

/// Why it is not.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RejectionShape {
    /// What is missing; the model reads it.
    reason: Option<String>,
}
