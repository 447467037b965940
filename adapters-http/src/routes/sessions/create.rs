//! Starts a chat.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::use_cases::{NewChat, ShowSession, StartChat};
use http::StatusCode;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::JsonBody;
use crate::problem::Problem;
use crate::routes::path_params::WorkspacePath;
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
    let chat = new_chat(&state, new)?;
    let start = StartChat::new(caller.mail_sender(&state), state.ports.ids.clone());
    let accepted = start.run(caller.workspace(), chat).await?;
    let view = ShowSession::new(state.ports.store.clone()).run(caller.workspace(), &accepted.session).await?;
    let shape = shape(&state, &view).await?;
    Ok((StatusCode::CREATED, response_with_etag(Some(shape.tag()), shape)))
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
