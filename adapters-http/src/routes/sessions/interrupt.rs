//! Stops the round that runs; the session rests.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::InterruptRound;

use crate::access::{Access, Chat};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::path::OfSession;
use crate::shapes::session::AcceptedShape;

/// Interrupts the current round; the session is idle then.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/interrupt",
    operation_id = "interrupt_session",
    tag = "sessions",
    params(OfSession),
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn interrupt_session(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfSession>,
) -> Answer<AcceptedShape> {
    let interrupt = InterruptRound::new(caller.sender(&house));
    Ok(Json(interrupt.run(caller.workspace(), &path.session(), caller.author()).await?.into()))
}
