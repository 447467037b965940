//! Agrees that the work of a run is done.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ConfirmCompletion;

use crate::access::{Access, Approve};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::path::OfSession;
use crate::shapes::session::AcceptedShape;

/// Confirms that the work of a run is done.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/confirm",
    operation_id = "confirm_completion",
    tag = "sessions",
    params(OfSession),
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn confirm_completion(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Approve>,
    Path(path): Path<OfSession>,
) -> Answer<AcceptedShape> {
    let confirm = ConfirmCompletion::new(caller.sender(&house));
    Ok(Json(confirm.run(caller.workspace(), &path.session(), caller.author()).await?.into()))
}
