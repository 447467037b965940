//! Reads a streamed answer until it is complete.

use std::time::Duration;

use bytes::Bytes;
use entracte_application::ports::{ModelReply, ReplySink};

use crate::dialect::{ReplyAssembler, ReplyStreamDelta};
use crate::failure::WireFailure;
use crate::sse::{SseDecoder, SseFrame};
use crate::transport::{DRAIN, PendingResponse};

/// Kind of a response body by its first bytes, because some servers set a wrong content type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseBodyKind {
    /// Server-sent events, or no bytes yet.
    Events,
    /// An answer in one piece, or an error.
    Json,
    /// A web page.
    Page,
}

impl ResponseBodyKind {
    /// The kind of a body that begins with these bytes.
    pub(crate) fn from_first_bytes(start: &[u8]) -> Self {
        match start.trim_ascii_start().first() {
            Some(b'{' | b'[') => Self::Json,
            Some(b'<') => Self::Page,
            Some(_) | None => Self::Events,
        }
    }
}

/// Reads one streamed reply.
pub(crate) struct ReplyStreamReader<'a> {
    answer: PendingResponse,
    decoder: SseDecoder,
    assembler: Box<dyn ReplyAssembler>,
    sink: &'a dyn ReplySink,
    taken_bytes: usize,
    /// Whether the last bytes contained text.
    brought_words: bool,
}

impl<'a> ReplyStreamReader<'a> {
    /// A reader of the rest of an answer.
    pub(crate) fn read_from(
        answer: PendingResponse,
        assembler: Box<dyn ReplyAssembler>,
        sink: &'a dyn ReplySink,
    ) -> Self {
        Self {
            answer,
            decoder: SseDecoder::new(FRAME_LIMIT_BYTES),
            assembler,
            sink,
            taken_bytes: 0,
            brought_words: false,
        }
    }

    /// Reads the whole answer, which begins with `start`; `None` if no bytes were read before.
    pub(crate) async fn read_reply(mut self, start: Option<Bytes>) -> Result<ModelReply, WireFailure> {
        let mut goes_on = self.decode_chunk(start)?;
        while goes_on {
            // The reply is complete, and its token counts may follow; some servers then keep the connection open.
            // Others repeat with every word that the model is done.
            goes_on = if self.assembler.is_whole() && !self.brought_words {
                tokio::time::timeout(LATE, self.read_chunk()).await.unwrap_or(Ok(false))?
            } else {
                self.read_chunk().await?
            };
        }
        if self.assembler.is_last_event_seen() {
            // The connection can be reused once its end is read.
            let _ = tokio::time::timeout(DRAIN, self.answer.chunk()).await;
        }
        self.assembler.finish()
    }

    /// Reads the next bytes; returns false if nothing more is to come.
    async fn read_chunk(&mut self) -> Result<bool, WireFailure> {
        match self.answer.chunk().await {
            Ok(bytes) => self.decode_chunk(bytes),
            // Some servers break the connection once the model is done.
            Err(_) if self.assembler.is_whole() => Ok(false),
            Err(trouble) => Err(trouble),
        }
    }

    fn decode_chunk(&mut self, bytes: Option<Bytes>) -> Result<bool, WireFailure> {
        let Some(bytes) = bytes else {
            // Some servers leave out the last blank line.
            let rest = self.decoder.take_unterminated_frame().map_err(WireFailure::from_frame_fault)?;
            self.emit_frames(rest.as_slice())?;
            return Ok(false);
        };
        self.sink.keep_alive();
        self.taken_bytes += bytes.len();
        if self.taken_bytes > STREAM_LIMIT_BYTES {
            return Err(WireFailure::foreign(format!("it is larger than {STREAM_LIMIT_BYTES} bytes")));
        }
        let frames = self.decoder.push(&bytes).map_err(WireFailure::from_frame_fault)?;
        self.emit_frames(&frames)?;
        Ok(!self.assembler.is_last_event_seen())
    }

    fn emit_frames(&mut self, frames: &[SseFrame]) -> Result<(), WireFailure> {
        self.brought_words = false;
        for frame in frames {
            match self.assembler.push_frame(frame)? {
                Some(ReplyStreamDelta::Text(words)) => self.sink.text(&words),
                Some(ReplyStreamDelta::Thought(words)) => self.sink.thinking_text(&words),
                None => continue,
            }
            self.brought_words = true;
        }
        Ok(())
    }
}

/// Most bytes of one event (64 MiB); the closing event of some dialects contains the whole answer.
const FRAME_LIMIT_BYTES: usize = 64 << 20;
/// Most bytes of a whole stream (256 MiB).
const STREAM_LIMIT_BYTES: usize = 256 << 20;
/// How long to wait after the model's end for token counts, or for another word.
const LATE: Duration = Duration::from_secs(3);

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::io;

    use futures_util::stream::unfold;
    use reqwest::{Body, Response};
    use tokio::time::{Instant, sleep};

    use super::*;
    use crate::chat_completions::ChatCompletions;
    use crate::dialect::WireDialect as _;
    use crate::testing::reading;

    struct NullReplySink;

    impl ReplySink for NullReplySink {
        fn text(&self, _words: &str) {}
    }

    /// Reads a stream whose events come after these seconds each, on a connection that stays open. Returns the text and
    /// the seconds after which reading ended.
    async fn heard(events: Vec<(u64, &'static str)>) -> (String, u64) {
        let events = unfold(events.into_iter(), |mut left| async move {
            let Some((after, data)) = left.next() else { return pending().await };
            sleep(Duration::from_secs(after)).await;
            Some((Ok::<_, io::Error>(Bytes::from(format!("data: {data}\n\n"))), left))
        });
        let response = Response::from(http::Response::new(Body::wrap_stream(events)));
        let mut answer = PendingResponse::of(response, Duration::from_secs(120));
        let began = Instant::now();
        let start = answer.chunk().await.unwrap();
        let assembler = ChatCompletions.assembler(&reading("kind = \"groq\"\nmodel = \"m\""));
        let reply =
            ReplyStreamReader::read_from(answer, assembler, &NullReplySink).read_reply(start).await.unwrap();
        (reply.text, began.elapsed().as_secs())
    }

    /// Input: a server that reports the model's end, then nothing, with the connection open; expected: the reply, long
    /// before the idle timeout.
    #[tokio::test(start_paused = true)]
    async fn connection_open_after_end_is_abandoned() {
        let events = vec![
            (0, r#"{"choices":[{"delta":{"content":"hi"}}]}"#),
            (1, r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#),
        ];
        assert_eq!(heard(events).await, ("hi".to_owned(), 1 + LATE.as_secs()));
    }

    /// Input: a server that reports the model's end with every word, and sends slowly; expected: every word.
    #[tokio::test(start_paused = true)]
    async fn repeated_end_marks_do_not_stop_reading() {
        let events = vec![
            (0, r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#),
            (5, r#"{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}"#),
            (5, r#"{"choices":[{"delta":{"content":"c"},"finish_reason":"stop"}]}"#),
            (0, "[DONE]"),
        ];
        assert_eq!(heard(events).await.0, "abc");
    }
}
