//! Streams over server-sent events.

use std::convert::Infallible;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::unfold;
use http::{HeaderName, HeaderValue, header};

use super::{EncodedStreamFrame, LogStream};

/// The media type of server-sent events.
const MEDIA_TYPE: &str = "text/event-stream";

/// The response with a stream as its body.
pub(super) fn sse_response(telling: LogStream) -> Response {
    let told = unfold(telling, |mut telling| async move {
        let said = telling.next_signal().await?;
        let frames = EncodedStreamFrame::from_signal(said, telling.sends_stored());
        let text: String = frames.iter().map(EncodedStreamFrame::to_sse_event).collect();
        Some((Ok::<Bytes, Infallible>(Bytes::from(text)), telling))
    });
    event_stream_response(Body::from_stream(told))
}

/// A response of server-sent events with this body.
pub(crate) fn event_stream_response(body: Body) -> Response {
    let headers = [
        (header::CONTENT_TYPE, MEDIA_TYPE),
        // Neither cached nor buffered by proxies.
        (header::CACHE_CONTROL, "no-store, no-transform"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
    (headers, body).into_response()
}
