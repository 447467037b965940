use entracte_application::stream::CursorFrame;
use serde_json::{Value, json};

use super::log_stream::StreamSignal;
use crate::shapes::frame::shape;

/// One frame as it goes over the wire.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EncodedStreamFrame {
    /// The cursor after it; none for levels, and for what is of the connection.
    id: Option<String>,
    kind: &'static str,
    data: Value,
    /// It is the last one, and why.
    goodbye: Option<&'static str>,
}

impl EncodedStreamFrame {
    /// Of what a stream says.
    pub(crate) fn from_signal(said: StreamSignal) -> Vec<Self> {
        match said {
            StreamSignal::Told(told) => told.iter().map(Self::from_event).collect(),
            StreamSignal::Changed(kinds) => kinds.into_iter().map(Self::changed).collect(),
            StreamSignal::Beat => vec![Self::beat()],
            StreamSignal::Goodbye(reason, retry_ms) => vec![Self::goodbye(reason, retry_ms)],
        }
    }

    /// Of what a reader is told.
    pub(crate) fn from_event(told: &CursorFrame) -> Self {
        let (kind, data) = shape(&told.frame);
        Self { id: told.at.map(|at| at.to_string()), kind, data, goodbye: None }
    }

    /// A list is another one that no log tells of: without a number, so it has no cursor.
    fn changed(kind: &'static str) -> Self {
        let data = json!({
            "type": "changed", "seq": null, "kind": kind, "changed": null, "revision": null, "gone": false,
        });
        Self { id: None, kind: "changed", data, goodbye: None }
    }

    /// The stream lives.
    pub(crate) fn beat() -> Self {
        Self { id: None, kind: "beat", data: json!({ "type": "beat" }), goodbye: None }
    }

    /// The stream ends; it can be asked for again after so many milliseconds.
    pub(crate) fn goodbye(reason: &'static str, retry_ms: u64) -> Self {
        let data = json!({ "type": "goodbye", "reason": reason, "retry_ms": retry_ms });
        Self { id: None, kind: "goodbye", data, goodbye: Some(reason) }
    }

    /// As a message: the data, with the cursor in it.
    pub(crate) fn to_message_text(&self) -> String {
        let mut data = self.data.clone();
        if let (Some(id), Some(fields)) = (&self.id, data.as_object_mut()) {
            fields.insert("id".to_owned(), Value::from(id.as_str()));
        }
        data.to_string()
    }

    /// The code and the reason that a WebSocket is closed with after it; none while it goes on.
    pub(crate) fn close_code(&self) -> Option<(u16, &'static str)> {
        let reason = self.goodbye?;
        let code = match reason {
            "age" => 4000,
            "revoked" => 4003,
            "gone" => 4004,
            // The server goes away.
            _ => 1001,
        };
        Some((code, reason))
    }

    /// As an event of a stream of server-sent events. JSON has no line breaks of its own.
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
    fn an_event_has_its_cursor_its_type_and_one_line_of_data() {
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
