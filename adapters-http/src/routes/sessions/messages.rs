//! Lists the messages of a session, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{ReadLog, ShowSession};
use entracte_domain::message::Message;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams, QueryParams};
use crate::pagination::{Page, PageQuery, descending, page_of_list};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::message::MessageShape;

/// The messages of a session, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/messages",
    operation_id = "list_messages",
    tag = "sessions",
    params(SessionPath, PageQuery),
    responses((status = 200, body = Page<MessageShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_messages(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<MessageShape>> {
    let (workspace, session) = (caller.workspace(), path.session());
    ShowSession::new(state.ports.store.clone()).run(workspace, &session).await?;
    let messages = ReadLog::new(state.ports.log.clone()).messages(workspace, &session).await?;
    let numbered: Vec<(u64, Message)> = (0..).zip(messages).collect();
    let page =
        page_of_list(numbered, &format!("messages {session}"), &query, |(number, _)| descending(*number))?;
    Ok(JsonResponse(page.map(|(_, message)| MessageShape::from(&message))))
}
