//! The place of a session that waits for its slot.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{ReadQueue, ShowSession};

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::path::OfSession;
use crate::shapes::session::QueueShape;

/// The place of a session that waits for its slot.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/queue",
    operation_id = "get_queue",
    tag = "sessions",
    params(OfSession),
    responses((status = 200, body = QueueShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_queue(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfSession>,
) -> Answer<QueueShape> {
    let (workspace, session) = (caller.workspace(), path.session());
    ShowSession::new(house.ports.store.clone()).run(workspace, &session).await?;
    let queue = ReadQueue::new(house.ports.store.clone(), house.ports.clock.clone());
    Ok(Json(queue.place(workspace, &session).await?.into()))
}
