//! Sends a message.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::SendMessage;
use entracte_domain::message::UserMessage;
use http::StatusCode;

use crate::access::{Access, Chat};
use crate::body::{Body, Json, Path};
use crate::house::House;
use crate::problem::Problem;
use crate::routes::path::OfSession;
use crate::shapes::message::NewMessage;
use crate::shapes::session::AcceptedShape;

/// Sends a message.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/messages",
    operation_id = "send_message",
    tag = "sessions",
    params(OfSession),
    request_body = NewMessage,
    responses((status = 202, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn send_message(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfSession>,
    Body(new): Body<NewMessage>,
) -> Result<(StatusCode, Json<AcceptedShape>), Problem> {
    let send = SendMessage::new(caller.sender(&house));
    let message = UserMessage::text(new.text);
    let sent =
        send.run(caller.workspace(), &path.session(), caller.author(), message, new.client_key).await?;
    Ok((StatusCode::ACCEPTED, Json(sent.into())))
}
