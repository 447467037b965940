//! Streams over WebSockets: the same frames, each as a text message that includes its cursor.

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;

use super::{EncodedStreamFrame, LogStream};
use crate::connection::ConnectionPermit;

/// The WebSocket protocol. Browsers send their ticket as a second protocol, `ticket.` and its secret.
const PROTOCOL: &str = "entracte";

/// Most bytes of a client message: clients send no requests over a stream.
const MESSAGE_MAX: usize = 4096;

/// The response that upgrades the connection to a WebSocket.
pub(super) fn upgrade_response(
    upgrade: WebSocketUpgrade,
    connection: Option<ConnectionPermit>,
    telling: LogStream,
) -> Response {
    let upgrade = upgrade.protocols([PROTOCOL]).max_message_size(MESSAGE_MAX).max_frame_size(MESSAGE_MAX);
    upgrade.on_upgrade(async move |socket| {
        send_frames(socket, telling).await;
        drop(connection);
    })
}

async fn send_frames(mut socket: WebSocket, telling: LogStream) {
    let mut next = Box::pin(telling.into_next());
    loop {
        tokio::select! {
            heard = socket.recv() => match heard {
                None | Some(Ok(Message::Close(_)) | Err(_)) => return,
                Some(Ok(Message::Text(_) | Message::Binary(_) | Message::Ping(_) | Message::Pong(_))) => {}
            },
            (said, telling) = &mut next => {
                let encode = |said| EncodedStreamFrame::from_signal(said, telling.sends_stored());
                for line in said.map(encode).unwrap_or_default() {
                    if socket.send(Message::Text(line.to_message_text().into())).await.is_err() {
                        return;
                    }
                    if let Some((code, reason)) = line.close_code() {
                        let close = CloseFrame { code, reason: reason.into() };
                        let _gone = socket.send(Message::Close(Some(close))).await;
                        return;
                    }
                }
                next = Box::pin(telling.into_next());
            }
        }
    }
}
