//! Counts the messages of a session that the person has not read.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{LocalizeEnrichments, ReadUnreadMessages, ShowSession};

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::pagination::LIMIT_MAX;
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::message::{MessageShape, UnreadShape};

/// The messages of a session that the person has not read.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/unread",
    operation_id = "read_unread",
    tag = "sessions",
    params(SessionPath),
    responses((status = 200, body = UnreadShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn read_unread(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
) -> JsonResult<UnreadShape> {
    let view = ShowSession::new(state.ports.store.clone()).run(caller.workspace(), &path.session()).await?;
    let (facts, reader) = (view.facts, caller.author());
    let unread = ReadUnreadMessages::new(state.ports.log.clone()).run(&facts, &reader).await?;
    let count = unread.messages.len();
    let mut latest: Vec<_> = unread.messages.into_iter().rev().take(LIMIT_MAX as usize).collect();
    let shown = latest.iter_mut().map(|described| &mut described.message).collect();
    let (store, rows) = (state.ports.store.clone(), state.ports.rows.clone());
    let localize =
        LocalizeEnrichments::new(store, rows, state.ports.catalog.get()).for_reader(caller.reader());
    localize.run(caller.workspace(), shown).await?;
    let shape = |message| MessageShape::for_reader(message, &reader, &facts);
    Ok(JsonResponse(UnreadShape { count, messages: latest.iter().map(shape).collect(), up_to: unread.up_to }))
}
