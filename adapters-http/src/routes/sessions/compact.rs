//! Sums the conversation of a chat that rests up now; it rests after that as before.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::CompactSession;

use crate::access::{Access, Chat};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::path::OfSession;
use crate::shapes::session::AcceptedShape;

/// Summarizes the conversation of an idle chat now; it stays idle.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/compact",
    operation_id = "compact_session",
    tag = "sessions",
    params(OfSession),
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn compact_session(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfSession>,
) -> Answer<AcceptedShape> {
    let compact = CompactSession::new(caller.sender(&house));
    Ok(Json(compact.run(caller.workspace(), &path.session(), caller.author()).await?.into()))
}
