//! A stream of one session: its entries, the words of its model as they come, and how it stands.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;

use crate::access::{Access, Read};
use crate::body::{Path, Query};
use crate::connection::Open;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::events::StreamQuery;
use crate::routes::path::OfSession;
use crate::stream::{Opened, Wish, answer, open};

/// A stream of one session: its entries, the words of its model as they come, and how it stands. Server-sent events whose
/// ids are cursors, or the same frames over a WebSocket.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/stream",
    operation_id = "stream_session",
    tag = "sessions",
    params(OfSession, StreamQuery),
    responses((status = 200, content_type = "text/event-stream", body = String)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn stream_session(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfSession>,
    headers: HeaderMap,
    Extension(connection): Extension<Open>,
    wish: Wish,
    Query(query): Query<StreamQuery>,
) -> Result<Response, Problem> {
    let opened = Opened { session: Some(path.session()), after: query.after, timeline: query.timeline };
    let telling = open(&house, caller, &headers, opened).await?;
    answer(wish, &headers, connection, telling)
}
