//! Answers a session's question.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::AnswerQuestion;
use entracte_domain::id::MessageId;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::message::AnswerShape;
use crate::shapes::session::AcceptedShape;

/// Answers the question of a session.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/answer",
    operation_id = "answer_question",
    tag = "sessions",
    params(SessionPath),
    request_body = AnswerShape,
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn answer_question(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<SessionPath>,
    JsonBody(answer): JsonBody<AnswerShape>,
) -> JsonResult<AcceptedShape> {
    let ask = AnswerQuestion::new(caller.mail_sender(&state));
    let AnswerShape { text, message } = answer;
    let question = message.map(MessageId::new);
    let accepted = ask.run(caller.workspace(), &path.session(), caller.author(), text, question).await?;
    Ok(JsonResponse(accepted.into()))
}
