use entracte_application::stream::CursorFrame;
use serde_json::{Value, json};

use super::log_stream::StreamSignal;
use crate::shapes::frame::shape;

/// A stream frame in wire format.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EncodedStreamFrame {
    /// The cursor after the frame; `None` for levels and connection frames.
    id: Option<String>,
    kind: &'static str,
    data: Value,
    /// The reason, if this is the last frame.
    goodbye: Option<&'static str>,
}

impl EncodedStreamFrame {
    /// Encodes a stream signal.
    pub(crate) fn from_signal(said: StreamSignal) -> Vec<Self> {
        match said {
            StreamSignal::Told(told) => told.iter().map(Self::from_event).collect(),
            StreamSignal::Changed(kinds) => kinds.into_iter().map(Self::changed).collect(),
            StreamSignal::Beat => vec![Self::beat()],
            StreamSignal::Goodbye(reason, retry_ms) => vec![Self::goodbye(reason, retry_ms)],
        }
    }

    /// Encodes a cursor frame.
    pub(crate) fn from_event(told: &CursorFrame) -> Self {
        let (kind, data) = shape(&told.frame);
        Self { id: told.at.map(|at| at.to_string()), kind, data, goodbye: None }
    }

    /// A frame for a changed list that no log covers; it has no number and thus no cursor.
    fn changed(kind: &'static str) -> Self {
        let data = json!({
            "type": "changed", "seq": null, "kind": kind, "changed": null, "revision": null, "gone": false,
        });
        Self { id: None, kind: "changed", data, goodbye: None }
    }

    /// The heartbeat frame.
    pub(crate) fn beat() -> Self {
        Self { id: None, kind: "beat", data: json!({ "type": "beat" }), goodbye: None }
    }

    /// The last frame; the client may reconnect after `retry_ms`.
    pub(crate) fn goodbye(reason: &'static str, retry_ms: u64) -> Self {
        let data = json!({ "type": "goodbye", "reason": reason, "retry_ms": retry_ms });
        Self { id: None, kind: "goodbye", data, goodbye: Some(reason) }
    }

    /// Formats a WebSocket message: the data, including the cursor.
    pub(crate) fn to_message_text(&self) -> String {
        let mut data = self.data.clone();
        if let (Some(id), Some(fields)) = (&self.id, data.as_object_mut()) {
            fields.insert("id".to_owned(), Value::from(id.as_str()));
        }
        data.to_string()
    }

    /// The code and reason with which a WebSocket is closed after this frame; `None` if it continues.
    pub(crate) fn close_code(&self) -> Option<(u16, &'static str)> {
        let reason = self.goodbye?;
        let code = match reason {
            "age" => 4000,
            "revoked" => 4003,
            "gone" => 4004,
            // Going away.
            _ => 1001,
        };
        Some((code, reason))
    }

    /// Formats a server-sent event. Serialized JSON contains no line breaks.
    pub(crate) fn to_sse_event(&self) -> String {
        let id = self.id.as_ref().map(|id| format!("id: {id}\n")).unwrap_or_default();
        format!("{id}event: {}\ndata: {}\n\n", self.kind, self.data)
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::stream::{AttemptOffset, Cursor, ReplyChannel, StreamFrame};

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
        assert_eq!(EncodedStreamFrame::beat().to_sse_event(), "event: beat\ndata: {\"type\":\"beat\"}\n\n");
    }
}
