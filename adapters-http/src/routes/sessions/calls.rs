//! The calls of a session, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{CallView, ReadCalls};

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Path, Query};
use crate::house::House;
use crate::page::{Page, PageQuery, cut, descending};
use crate::routes::path::OfSession;
use crate::shapes::call::CallShape;

/// The calls of a session, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/calls",
    operation_id = "list_calls",
    tag = "sessions",
    params(OfSession, PageQuery),
    responses((status = 200, body = Page<CallShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_calls(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfSession>,
    Query(query): Query<PageQuery>,
) -> Answer<Page<CallShape>> {
    let session = path.session();
    let read = ReadCalls::new(house.ports.store.clone(), house.ports.log.clone());
    let calls = read.run(caller.workspace(), &session).await?;
    let numbered: Vec<(u64, CallView)> = (0..).zip(calls).collect();
    let page = cut(numbered, &format!("calls {session}"), &query, |(number, _)| descending(*number))?;
    Ok(Json(page.map(|(_, view)| CallShape::from(&view))))
}
