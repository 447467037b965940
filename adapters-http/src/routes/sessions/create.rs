//! Starts a chat.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::commands::compose_message;
use entracte_application::use_cases::{NewChat, ShowSession, StartChat, StartChatWithMessage};
use http::StatusCode;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::JsonBody;
use crate::idempotency::ReplayWatch;
use crate::problem::Problem;
use crate::routes::files::{attach_files, message_files};
use crate::routes::path_params::WorkspacePath;
use crate::routes::sessions::send::references;
use crate::routes::sessions::{mode_of, restriction, shape};
use crate::routes::{choose_model_voice, response_with_etag};
use crate::server_state::ServerState;
use crate::shapes::session::{NewSession, SessionShape};

/// Starts a chat.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions",
    operation_id = "start_chat",
    tag = "sessions",
    params(WorkspacePath),
    request_body = NewSession,
    responses((status = 201, body = SessionShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn start_chat(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    JsonBody(new): JsonBody<NewSession>,
) -> Result<(StatusCode, Response), Problem> {
    let (message, ids) = (new.message.clone(), state.ports.ids.clone());
    let sender = Arc::new(ReplayWatch::new(caller.mail_sender(&state)));
    let chat = new_chat(&state, new)?;
    let accepted = match message {
        None => StartChat::new(sender.clone(), ids).run(caller.workspace(), chat).await?,
        Some(first) => {
            let references = references(&state, &caller, &first.enrichments).await?;
            let files = message_files(&state, &caller, &first).await?;
            let (message, key) = (compose_message(&first.text, references), first.client_key);
            let message = attach_files(&state, caller.workspace(), None, message, &files).await?;
            let start = StartChatWithMessage::new(sender.clone(), ids);
            start.run(caller.workspace(), caller.author(), chat, message, key).await?
        }
    };
    let view = ShowSession::new(state.ports.store.clone()).run(caller.workspace(), &accepted.session).await?;
    let shape = shape(&state, &caller, &view).await?;
    let mut response = response_with_etag(Some(shape.tag()), shape);
    sender.mark_answer(&mut response);
    Ok((StatusCode::CREATED, response))
}

fn new_chat(state: &ServerState, new: NewSession) -> Result<NewChat, Problem> {
    let voice = choose_model_voice(state, new.provider.as_deref(), new.model)?;
    Ok(NewChat {
        name: new.name.unwrap_or_default(),
        provider: voice.provider,
        model: voice.model,
        dialect: voice.dialect,
        require_validation: new.require_validation,
        mode: mode_of(new.mode.as_deref())?,
        restriction: restriction(new.commands.as_deref())?.unwrap_or_default(),
    })
}
