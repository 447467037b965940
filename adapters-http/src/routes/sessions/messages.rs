//! Lists the messages of a session, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::journal::ConversationMessage;
use entracte_application::use_cases::{LocalizeEnrichments, ReadLog, ShowSession};

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
    let (store, log) = (state.ports.store.clone(), state.ports.log.clone());
    let facts = ShowSession::new(store.clone()).run(workspace, &session).await?.facts;
    let messages = ReadLog::new(log).conversation(workspace, &session).await?;
    let numbered: Vec<(u64, ConversationMessage)> = (0..).zip(messages).collect();
    let mut page =
        page_of_list(numbered, &format!("messages {session}"), &query, |(number, _)| descending(*number))?;
    let shown = page.items.iter_mut().map(|(_, described)| &mut described.message).collect();
    let (rows, catalog) = (state.ports.rows.clone(), state.ports.catalog.get());
    let localize = LocalizeEnrichments::new(store, rows, catalog).for_reader(caller.reader());
    localize.run(workspace, shown).await?;
    let reader = caller.author();
    Ok(JsonResponse(page.map(|(_, message)| MessageShape::for_reader(&message, &reader, &facts))))
}
