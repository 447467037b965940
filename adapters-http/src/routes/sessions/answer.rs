//! Answers the question of a session.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::AnswerQuestion;

use crate::access::{Access, Chat};
use crate::body::{Answer, Body, Json, Path};
use crate::house::House;
use crate::routes::path::OfSession;
use crate::shapes::message::AnswerShape;
use crate::shapes::session::AcceptedShape;

/// Answers the question of a session.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/answer",
    operation_id = "answer_question",
    tag = "sessions",
    params(OfSession),
    request_body = AnswerShape,
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn answer_question(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfSession>,
    Body(answer): Body<AnswerShape>,
) -> Answer<AcceptedShape> {
    let ask = AnswerQuestion::new(caller.sender(&house));
    Ok(Json(ask.run(caller.workspace(), &path.session(), caller.author(), answer.text).await?.into()))
}
