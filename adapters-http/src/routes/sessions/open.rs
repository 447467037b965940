//! Asks for the slot of a session.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::OpenSession;

use crate::access::{Access, Chat};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::path::OfSession;
use crate::shapes::session::AcceptedShape;

/// Opens a session, and asks for its slot.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/open",
    operation_id = "open_session",
    tag = "sessions",
    params(OfSession),
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn open_session(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfSession>,
) -> Answer<AcceptedShape> {
    let open = OpenSession::new(caller.sender(&house));
    // One attachment for each token: opening again renews it, and its lease ends by itself.
    let attachment = format!("http-{}", caller.visitor().token().id);
    Ok(Json(open.run(caller.workspace(), &path.session(), caller.author(), attachment).await?.into()))
}
