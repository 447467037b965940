//! A stream of the API: frames with their cursors, from server-sent events.

use std::collections::VecDeque;
use std::pin::Pin;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};

use super::ApiFault;
use crate::event_lines::{LineBuffer, LineFault};
use crate::shapes::frame::FrameShape;

/// A frame of a stream.
#[derive(Clone, Debug)]
pub struct ApiEvent {
    /// The cursor after it; `None` if it leaves the cursor as it is.
    pub cursor: Option<String>,
    /// The frame.
    pub frame: FrameShape,
}

/// The bytes of an answer as they come.
pub(super) type AnswerPieces = Pin<Box<dyn Stream<Item = Result<Bytes, ApiFault>> + Send>>;

/// An open stream. Dropping it closes it.
pub struct ApiEventStream {
    pieces: AnswerPieces,
    lines: LineBuffer,
    parser: EventParser,
    ready: VecDeque<ApiEvent>,
    /// The address of the server, for faults.
    server: String,
}

impl ApiEventStream {
    /// The events in the bytes of an answer of this server.
    pub(super) fn new(pieces: AnswerPieces, server: String) -> Self {
        let (lines, parser, ready) = (LineBuffer::default(), EventParser::default(), VecDeque::new());
        Self { pieces, lines, parser, ready, server }
    }

    /// The next frame; `None` at the end of the answer. It may be dropped while it waits: no frame is lost.
    ///
    /// # Errors
    /// If the connection is lost, or sends what is not an event.
    pub async fn next(&mut self) -> Result<Option<ApiEvent>, ApiFault> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            let Some(piece) = self.pieces.next().await else { return Ok(None) };
            let unreadable = |fault: LineFault| ApiFault::Unreadable {
                server: self.server.clone(),
                why: fault.to_string(),
            };
            let lines = self.lines.push(&piece?).map_err(unreadable)?;
            for line in &lines {
                self.ready.extend(self.parser.take_line(line));
            }
        }
    }
}

/// Puts lines together to events.
#[derive(Default)]
struct EventParser {
    id: Option<String>,
    data: Option<String>,
}

impl EventParser {
    /// The event that an empty line completes. What cannot be read is of a later version, and is left out.
    fn take_line(&mut self, line: &str) -> Option<ApiEvent> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(id) = line.strip_prefix("id:") {
            self.id = Some(id.trim_start().to_owned());
        } else if let Some(data) = line.strip_prefix("data:") {
            self.data = Some(data.trim_start().to_owned());
        }
        if !line.is_empty() {
            return None;
        }
        let (cursor, data) = (self.id.take(), self.data.take()?);
        let frame = serde_json::from_str(&data).unwrap_or(FrameShape::Other);
        Some(ApiEvent { cursor, frame })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    /// Input: a stream in pieces of any size; expected: each frame with its cursor, also one of a later version.
    #[tokio::test]
    async fn events_are_read_in_any_chunking() {
        let text = "id: 5.5.2\nretry: 10\nevent: stream_chunk\n\
                    data: {\"type\":\"stream_chunk\",\"attempt\":5,\"channel\":\"text\",\"offset\":0,\"text\":\"né\"}\n\n\
                    data: {\"type\":\"news\"}\n\n: comment\n\ndata: {\"type\":\"beat\"}\n\n";
        for size in [1, 7, 4096] {
            let pieces: Vec<_> =
                text.as_bytes().chunks(size).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
            let mut events = ApiEventStream::new(Box::pin(stream::iter(pieces)), "here".into());
            let first = events.next().await.unwrap().unwrap();
            assert_eq!(first.cursor.as_deref(), Some("5.5.2"));
            assert!(matches!(&first.frame, FrameShape::StreamChunk { text, .. } if text == "né"));
            assert!(matches!(events.next().await.unwrap().unwrap().frame, FrameShape::Other));
            assert!(matches!(events.next().await.unwrap().unwrap().frame, FrameShape::Beat));
            assert!(events.next().await.unwrap().is_none());
        }
    }
}
