//! The messages of a session, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{ReadLog, ShowSession};
use entracte_domain::message::Message;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Path, Query};
use crate::house::House;
use crate::page::{Page, PageQuery, cut, descending};
use crate::routes::path::OfSession;
use crate::shapes::message::MessageShape;

/// The messages of a session, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/messages",
    operation_id = "list_messages",
    tag = "sessions",
    params(OfSession, PageQuery),
    responses((status = 200, body = Page<MessageShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_messages(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfSession>,
    Query(query): Query<PageQuery>,
) -> Answer<Page<MessageShape>> {
    let (workspace, session) = (caller.workspace(), path.session());
    ShowSession::new(house.ports.store.clone()).run(workspace, &session).await?;
    let messages = ReadLog::new(house.ports.log.clone()).messages(workspace, &session).await?;
    let numbered: Vec<(u64, Message)> = (0..).zip(messages).collect();
    let page = cut(numbered, &format!("messages {session}"), &query, |(number, _)| descending(*number))?;
    Ok(Json(page.map(|(_, message)| MessageShape::from(&message))))
}
