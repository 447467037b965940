use entracte_application::json_value::to_text;
use entracte_application::stream::{CursorFrame, StreamFrame};
use entracte_domain::value::JsonValue;

use super::log_stream::StreamSignal;
use crate::shapes::frame::FrameShape;

/// Reconnection time of an open stream, in milliseconds. An `EventSource` keeps the latest one that it was told.
const RETRY_MS: u64 = 2_000;

/// A stream frame in wire format.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EncodedStreamFrame {
    /// The cursor after the frame; `None` for levels and connection frames.
    id: Option<String>,
    kind: &'static str,
    data: JsonValue,
    /// Why the stream ends, if this is the last frame.
    end_reason: Option<&'static str>,
    /// The reconnection time from here on, in milliseconds.
    retry_ms: Option<u64>,
}

impl EncodedStreamFrame {
    /// Encodes a stream signal; with `stored`, entries have their stored form, too.
    pub(crate) fn from_signal(said: StreamSignal, stored: bool) -> Vec<Self> {
        match said {
            StreamSignal::Told(told) if stored => told.iter().map(Self::with_stored_entry).collect(),
            StreamSignal::Told(told) => told.iter().map(Self::from_event).collect(),
            StreamSignal::Changed(kinds) => kinds.into_iter().map(Self::list_changed).collect(),
            StreamSignal::Beat => vec![Self::beat()],
            StreamSignal::Goodbye(reason, retry_ms) => vec![Self::goodbye(reason, retry_ms)],
        }
    }

    /// Encodes a cursor frame.
    pub(crate) fn from_event(told: &CursorFrame) -> Self {
        let frame = FrameShape::from(&told.frame);
        let retry_ms = matches!(frame, FrameShape::Hello { .. }).then_some(RETRY_MS);
        Self { id: told.at.map(|at| at.to_string()), retry_ms, ..Self::from_shape(frame) }
    }

    /// Encodes a cursor frame; an entry has its stored form, too.
    fn with_stored_entry(told: &CursorFrame) -> Self {
        let StreamFrame::Entry(entry) = &told.frame else { return Self::from_event(told) };
        let id = told.at.map(|at| at.to_string());
        Self { id, ..Self::from_shape(FrameShape::with_stored_entry(entry)) }
    }

    /// A frame for a changed list that no log covers; it has no number and thus no cursor.
    fn list_changed(kind: &'static str) -> Self {
        Self::from_shape(FrameShape::list_changed(kind))
    }

    /// The heartbeat frame.
    pub(crate) fn beat() -> Self {
        Self::from_shape(FrameShape::Beat)
    }

    /// The last frame; the client may reconnect after `retry_ms`.
    pub(crate) fn goodbye(reason: &'static str, retry_ms: u64) -> Self {
        let frame = FrameShape::Goodbye { reason: reason.into(), retry_ms };
        Self { end_reason: Some(reason), retry_ms: Some(retry_ms), ..Self::from_shape(frame) }
    }

    fn from_shape(frame: FrameShape) -> Self {
        let (kind, data) = frame.into_parts();
        Self { id: None, kind, data, end_reason: None, retry_ms: None }
    }

    /// Formats a WebSocket message: the data, including the cursor.
    pub(crate) fn to_message_text(&self) -> String {
        let Some(id) = &self.id else { return to_text(&self.data) };
        let mut data = self.data.clone();
        data.set("id", JsonValue::from(id.as_str()));
        to_text(&data.sorted())
    }

    /// The code and reason with which a WebSocket is closed after this frame; `None` if it continues.
    pub(crate) fn close_code(&self) -> Option<(u16, &'static str)> {
        let reason = self.end_reason?;
        let code = match reason {
            "age" => 4000,
            "revoked" => 4003,
            "gone" => 4004,
            "replaced" => 4009,
            // Going away.
            _ => 1001,
        };
        Some((code, reason))
    }

    /// Formats a server-sent event. Serialized JSON contains no line breaks.
    pub(crate) fn to_sse_event(&self) -> String {
        let id = self.id.as_ref().map(|id| format!("id: {id}\n")).unwrap_or_default();
        let retry = self.retry_ms.map(|retry_ms| format!("retry: {retry_ms}\n")).unwrap_or_default();
        format!("{id}{retry}event: {}\ndata: {}\n\n", self.kind, to_text(&self.data))
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::stream::{AttemptOffset, Cursor, ReplyChannel};

    use super::*;

    #[test]
    fn event_has_cursor_type_and_one_data_line() {
        let spoken = Some(AttemptOffset { attempt: 1041, text: 5, thoughts: 0 });
        let text = "At\nni".to_owned();
        let frame = StreamFrame::StreamChunk { attempt: 1041, channel: ReplyChannel::Text, offset: 0, text };
        let line =
            EncodedStreamFrame::from_event(&CursorFrame { at: Some(Cursor { seq: 1041, spoken }), frame });
        let expected = "id: 1041.1041.5\nevent: stream_chunk\ndata: {\"attempt\":1041,\"channel\":\"text\",\
                        \"offset\":0,\"text\":\"At\\nni\",\"type\":\"stream_chunk\"}\n\n";
        assert_eq!(line.to_sse_event(), expected);
        let goodbye = "retry: 100\nevent: goodbye\n\
                       data: {\"reason\":\"age\",\"retry_ms\":100,\"type\":\"goodbye\"}\n\n";
        assert_eq!(EncodedStreamFrame::goodbye("age", 100).to_sse_event(), goodbye);
        assert_eq!(EncodedStreamFrame::beat().to_sse_event(), "event: beat\ndata: {\"type\":\"beat\"}\n\n");
    }
}
