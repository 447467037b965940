//! Says whether an action whose outcome nobody knew happened.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::SettleCall;
use entracte_domain::id::CallId;

use crate::access::{Access, Approve};
use crate::body::{Answer, Body, Json, Path};
use crate::house::House;
use crate::routes::calls::session_of;
use crate::routes::path::OfCall;
use crate::shapes::call::SettlementShape;
use crate::shapes::session::AcceptedShape;

/// Says whether an action of unknown outcome happened.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/calls/{c}/settlement",
    operation_id = "settle_call",
    tag = "calls",
    params(OfCall),
    request_body = SettlementShape,
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn settle_call(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Approve>,
    Path(path): Path<OfCall>,
    Body(found): Body<SettlementShape>,
) -> Answer<AcceptedShape> {
    let call = CallId::new(path.c);
    let session = session_of(&house, caller.workspace(), &call).await?;
    let settle = SettleCall::new(caller.sender(&house));
    let (workspace, author) = (caller.workspace(), caller.author());
    Ok(Json(settle.run(workspace, &session, author, call, found.happened, found.note).await?.into()))
}
