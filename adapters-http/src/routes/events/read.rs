//! A stream of the entries of all sessions of a workspace, as they are committed.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;

use crate::access::{Access, Read};
use crate::body::Query;
use crate::connection::Open;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::events::StreamQuery;
use crate::routes::path::OfWorkspace;
use crate::stream::{Opened, Wish, answer, open};

/// A stream of the entries of all sessions of a workspace, as they are committed: server-sent events whose ids are cursors,
/// or the same frames over a WebSocket.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/events",
    operation_id = "read_events",
    tag = "events",
    params(OfWorkspace, StreamQuery),
    responses((status = 200, content_type = "text/event-stream", body = String)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn read_events(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    headers: HeaderMap,
    Extension(connection): Extension<Open>,
    wish: Wish,
    Query(query): Query<StreamQuery>,
) -> Result<Response, Problem> {
    let opened = Opened { session: None, after: query.after, timeline: query.timeline };
    let telling = open(&house, caller, &headers, opened).await?;
    answer(wish, &headers, connection, telling)
}
