//! Listens to a streamed answer until it is whole.

use std::time::Duration;

use bytes::Bytes;
use entracte_application::ports::{ModelReply, ReplySink};

use crate::dialect::{ReplyAssembler, ReplyStreamDelta};
use crate::failure::WireFailure;
use crate::sse::{SseDecoder, SseFrame};
use crate::transport::{DRAIN, PendingResponse};

/// What a body is, as its first bytes show: some servers name it wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseBodyKind {
    /// Events, or nothing yet.
    Events,
    /// An answer in one piece, or an error.
    Json,
    /// A page for people.
    Page,
}

impl ResponseBodyKind {
    /// What begins so.
    pub(crate) fn from_first_bytes(start: &[u8]) -> Self {
        match start.trim_ascii_start().first() {
            Some(b'{' | b'[') => Self::Json,
            Some(b'<') => Self::Page,
            Some(_) | None => Self::Events,
        }
    }
}

/// A stream that is heard.
pub(crate) struct ReplyStreamReader<'a> {
    answer: PendingResponse,
    decoder: SseDecoder,
    assembler: Box<dyn ReplyAssembler>,
    sink: &'a dyn ReplySink,
    taken_bytes: usize,
    /// The last bytes brought words.
    brought_words: bool,
}

impl<'a> ReplyStreamReader<'a> {
    /// To the rest of an answer.
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

    /// The whole answer, whose first bytes are these; none when there are none.
    pub(crate) async fn read_reply(mut self, start: Option<Bytes>) -> Result<ModelReply, WireFailure> {
        let mut goes_on = self.decode_chunk(start)?;
        while goes_on {
            // All was said, and its tokens may follow; some servers then hold the connection open. Others say with every word
            // that the model is done.
            goes_on = if self.assembler.is_whole() && !self.brought_words {
                tokio::time::timeout(LATE, self.read_chunk()).await.unwrap_or(Ok(false))?
            } else {
                self.read_chunk().await?
            };
        }
        if self.assembler.is_last_event_seen() {
            // The connection can be used again once its end was read.
            let _ = tokio::time::timeout(DRAIN, self.answer.chunk()).await;
        }
        self.assembler.finish()
    }

    /// Hears the next bytes; false when nothing more is to be heard.
    async fn read_chunk(&mut self) -> Result<bool, WireFailure> {
        match self.answer.chunk().await {
            Ok(bytes) => self.decode_chunk(bytes),
            // Some end the connection once the model is done.
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

/// Cap of one event; the closing event of some dialects holds the whole answer.
const FRAME_LIMIT_BYTES: usize = 64 << 20;
/// Cap of a whole stream.
const STREAM_LIMIT_BYTES: usize = 256 << 20;
/// How long the tokens of an answer, or another word, may follow what the model ended with.
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

    /// What is heard of a stream whose events come so many seconds after one another, and after how many seconds it is left. It
    /// stays open.
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

    /// Input: a server that says how the model ended, and then nothing, with the connection open; expected: the reply, long
    /// before the limit of a silence.
    #[tokio::test(start_paused = true)]
    async fn a_connection_that_is_held_open_after_the_end_is_left() {
        let events = vec![
            (0, r#"{"choices":[{"delta":{"content":"hi"}}]}"#),
            (1, r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#),
        ];
        assert_eq!(heard(events).await, ("hi".to_owned(), 1 + LATE.as_secs()));
    }

    /// Input: a server that says with every word that the model has ended, and speaks slowly; expected: every word.
    #[tokio::test(start_paused = true)]
    async fn an_end_that_comes_with_every_word_ends_nothing() {
        let events = vec![
            (0, r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#),
            (5, r#"{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}"#),
            (5, r#"{"choices":[{"delta":{"content":"c"},"finish_reason":"stop"}]}"#),
            (0, "[DONE]"),
        ];
        assert_eq!(heard(events).await.0, "abc");
    }
}
