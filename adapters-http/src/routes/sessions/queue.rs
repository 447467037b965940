//! The place of a session that waits for its slot, and the messages that wait in it.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{ReadQueue, ShowSession, WithdrawMessage};
use entracte_domain::id::MessageId;
use http::StatusCode;

use crate::access::{Access, Chat, Read};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::problem::Problem;
use crate::routes::path::{OfQueued, OfSession};
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

/// Takes back a message that still waits for a model call. It stays in the log, and no model reads it.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/sessions/{s}/queue/{m}",
    operation_id = "withdraw_message",
    tag = "sessions",
    params(OfQueued),
    responses((status = 204)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn withdraw_message(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfQueued>,
) -> Result<StatusCode, Problem> {
    let withdraw = WithdrawMessage::new(caller.sender(&house));
    let (session, message) = (path.session(), MessageId::new(path.m));
    withdraw.run(caller.workspace(), &session, caller.author(), message).await?;
    Ok(StatusCode::NO_CONTENT)
}
