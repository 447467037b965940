//! Streams one session: its entries, live model text, and its current state.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;

use crate::authentication::{Read, WorkspaceAccess};
use crate::connection::ConnectionPermit;
use crate::extractors::{PathParams, QueryParams};
use crate::problem::Problem;
use crate::routes::events::StreamQuery;
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::frame::FrameShape;
use crate::stream::{StreamParams, StreamUpgrade, open_stream, stream_response};

/// A stream of one session: its entries, the words of its model as they come, and how it stands. Server-sent events whose
/// ids are cursors, or the same frames over a WebSocket.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/stream",
    operation_id = "stream_session",
    tag = "sessions",
    params(SessionPath, StreamQuery),
    responses((status = 200, content_type = "text/event-stream", body = FrameShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn stream_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
    headers: HeaderMap,
    connection: Option<Extension<ConnectionPermit>>,
    wish: StreamUpgrade,
    QueryParams(query): QueryParams<StreamQuery>,
) -> Result<Response, Problem> {
    let StreamQuery { after, timeline, stored, .. } = query;
    let opened =
        StreamParams { session: Some(path.session()), after, timeline, stored: stored.unwrap_or(false) };
    let telling = open_stream(&state, caller, &headers, opened).await?;
    stream_response(wish, &headers, connection.map(|Extension(permit)| permit), telling)
}
