//! Streams: subscriptions to the log over an open connection. Nothing is pushed or queued: each connection reads from
//! its own cursor, as fast as the client accepts data.

mod encoded_frame;
mod list_digests;
mod log_stream;
mod sse;
mod web_socket;

pub(crate) use encoded_frame::EncodedStreamFrame;
pub(crate) use log_stream::{
    LogStream, StreamParams, StreamSignal, acquire_stream_permit, end_reason_of_error, open_stream,
};
pub(crate) use sse::event_stream_response;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use entracte_application::texts::saying;
use http::{HeaderMap, header};

use crate::connection::ConnectionPermit;
use crate::problem::{Problem, ProblemCode};

/// The client's transport: server-sent events as the answer, or a WebSocket.
pub(crate) type StreamUpgrade = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

/// Responds with a stream: over the requested WebSocket, or as server-sent events.
pub(crate) fn stream_response(
    wish: StreamUpgrade,
    headers: &HeaderMap,
    connection: Option<ConnectionPermit>,
    telling: LogStream,
) -> Result<Response, Problem> {
    match wish {
        Ok(upgrade) => Ok(web_socket::upgrade_response(upgrade, connection, telling)),
        Err(_) if !headers.contains_key(header::UPGRADE) => Ok(sse::sse_response(telling)),
        Err(fault) => {
            let text = saying!("refusal-stream-upgrade", why = fault.body_text());
            Err(Problem::new(ProblemCode::Malformed, text))
        }
    }
}
