//! Streams: what a reader of the log is told, over a connection that stays open. Nothing is pushed and nothing is
//! queued: each connection reads on from its own cursor, as fast as it takes what it is given.

mod line;
mod lists;
mod sse;
mod telling;
mod web_socket;

pub(crate) use line::Line;
pub(crate) use sse::of_events;
pub(crate) use telling::{Opened, Said, Telling, ended, open, sit};

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use http::{HeaderMap, header};

use crate::connection::Open;
use crate::problem::{Code, Problem};

/// What a client asks for: the stream as the answer, or another protocol on the connection.
pub(crate) type Wish = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

/// Answers with a stream: over the WebSocket that was asked for, or as server-sent events.
pub(crate) fn answer(
    wish: Wish,
    headers: &HeaderMap,
    connection: Open,
    telling: Telling,
) -> Result<Response, Problem> {
    match wish {
        Ok(upgrade) => Ok(web_socket::answer(upgrade, connection, telling)),
        Err(_) if !headers.contains_key(header::UPGRADE) => Ok(sse::answer(telling)),
        Err(fault) => {
            let text = format!("{}; ask for server-sent events without Upgrade", fault.body_text());
            Err(Problem::new(Code::Malformed, text))
        }
    }
}
