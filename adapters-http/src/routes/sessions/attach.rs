//! Says that a session is open here, or open still, without asking for its slot.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::AttachSession;

use crate::access::{Access, Chat};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::path::OfSession;
use crate::shapes::session::AcceptedShape;

/// Says that a session is open here, or still open, without asking for a slot.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}/sessions/{s}/attachment",
    operation_id = "attach_session",
    tag = "sessions",
    params(OfSession),
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn attach_session(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfSession>,
) -> Answer<AcceptedShape> {
    let attach = AttachSession::new(caller.sender(&house));
    // The same as that of `open`: one for each token.
    let attachment = format!("http-{}", caller.visitor().token().id);
    Ok(Json(attach.run(caller.workspace(), &path.session(), caller.author(), attachment).await?.into()))
}
