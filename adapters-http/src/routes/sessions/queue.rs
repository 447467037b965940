//! Reads the queue position of a session, and its queued messages.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{ReadQueue, ShowSession, WithdrawMessage};
use entracte_domain::id::MessageId;
use http::StatusCode;

use crate::authentication::{Chat, Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::problem::Problem;
use crate::routes::path_params::{QueuedMessagePath, SessionPath};
use crate::server_state::ServerState;
use crate::shapes::session::QueueShape;

/// The place of a session that waits for its slot.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/queue",
    operation_id = "get_queue",
    tag = "sessions",
    params(SessionPath),
    responses((status = 200, body = QueueShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_queue(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
) -> JsonResult<QueueShape> {
    let (workspace, session) = (caller.workspace(), path.session());
    ShowSession::new(state.ports.store.clone()).run(workspace, &session).await?;
    let queue = ReadQueue::new(state.ports.store.clone(), state.ports.clock.clone());
    Ok(JsonResponse(queue.place(workspace, &session).await?.into()))
}

/// Takes back a message that still waits for a model call. It stays in the log, and no model reads it.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/sessions/{s}/queue/{m}",
    operation_id = "withdraw_message",
    tag = "sessions",
    params(QueuedMessagePath),
    responses((status = 204)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn withdraw_message(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<QueuedMessagePath>,
) -> Result<StatusCode, Problem> {
    let withdraw = WithdrawMessage::new(caller.mail_sender(&state));
    let (session, message) = (path.session(), MessageId::new(path.m));
    withdraw.run(caller.workspace(), &session, caller.author(), message).await?;
    Ok(StatusCode::NO_CONTENT)
}
