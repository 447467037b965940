//! Changes the editable fields of a session.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::use_cases::{ChangeSession, SessionUpdate, ShowSession};
use http::HeaderMap;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::etag::read_if_match;
use crate::extractors::{JsonBody, PathParams};
use crate::problem::Problem;
use crate::routes::path_params::SessionPath;
use crate::routes::sessions::{mode_of, parse_dialect, restriction, shape};
use crate::routes::{require_unchanged, response_with_etag};
use crate::server_state::ServerState;
use crate::shapes::session::{SessionEdit, SessionShape};

/// Changes what may be edited of a session.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/sessions/{s}",
    operation_id = "change_session",
    tag = "sessions",
    params(SessionPath, ("If-Match" = String, Header)),
    request_body = SessionEdit,
    responses((status = 200, body = SessionShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn change_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<SessionPath>,
    headers: HeaderMap,
    JsonBody(edit): JsonBody<SessionEdit>,
) -> Result<Response, Problem> {
    let read = read_if_match(&headers)?;
    let (workspace, session) = (caller.workspace(), path.session());
    let show = ShowSession::new(state.ports.store.clone());
    let now = shape(&state, &caller, &show.run(workspace, &session).await?).await?;
    require_unchanged(&read, Some(now.tag()), &now)?;
    let change = ChangeSession::new(caller.mail_sender(&state), state.ports.store.clone());
    change.run(workspace, &session, caller.author(), read_edit(edit)?).await?;
    let shape = shape(&state, &caller, &show.run(workspace, &session).await?).await?;
    Ok(response_with_etag(Some(shape.tag()), shape))
}

fn read_edit(edit: SessionEdit) -> Result<SessionUpdate, Problem> {
    Ok(SessionUpdate {
        require_validation: edit.require_validation,
        mode: mode_of(edit.mode.as_deref())?,
        restriction: restriction(edit.commands.as_deref())?,
        provider: edit.provider,
        model: edit.model,
        dialect: parse_dialect(edit.dialect.as_deref())?,
        name: edit.name,
    })
}
