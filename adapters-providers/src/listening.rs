//! Listens to a streamed answer until it is whole.

use std::time::Duration;

use bytes::Bytes;
use entracte_application::ports::{ModelReply, ReplySink};

use crate::dialect::{Assembler, Piece};
use crate::failure::Trouble;
use crate::sse::{Decoder, Frame};
use crate::transport::{Answer, DRAIN};

/// What a body is, as its first bytes show: some servers name it wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// Events, or nothing yet.
    Events,
    /// An answer in one piece, or an error.
    Json,
    /// A page for people.
    Page,
}

impl Sent {
    /// What begins so.
    pub(crate) fn beginning(start: &[u8]) -> Self {
        match start.trim_ascii_start().first() {
            Some(b'{' | b'[') => Self::Json,
            Some(b'<') => Self::Page,
            Some(_) | None => Self::Events,
        }
    }
}

/// A stream that is heard.
pub(crate) struct Listening<'a> {
    answer: Answer,
    decoder: Decoder,
    assembler: Box<dyn Assembler>,
    sink: &'a dyn ReplySink,
    taken_bytes: usize,
}

impl<'a> Listening<'a> {
    /// To the rest of an answer.
    pub(crate) fn to(answer: Answer, assembler: Box<dyn Assembler>, sink: &'a dyn ReplySink) -> Self {
        Self { answer, decoder: Decoder::new(FRAME_LIMIT_BYTES), assembler, sink, taken_bytes: 0 }
    }

    /// The whole answer, whose first bytes are these; none when there are none.
    pub(crate) async fn reply(mut self, start: Option<Bytes>) -> Result<ModelReply, Trouble> {
        let mut goes_on = self.take(start)?;
        while goes_on && !self.assembler.is_whole() {
            goes_on = self.more().await?;
        }
        if goes_on {
            // All was said, and its tokens may follow; some servers then hold the connection open.
            let late = async {
                while self.more().await? {}
                Ok::<(), Trouble>(())
            };
            tokio::time::timeout(LATE, late).await.unwrap_or(Ok(()))?;
        }
        if self.assembler.ended() {
            // The connection can be used again once its end was read.
            let _ = tokio::time::timeout(DRAIN, self.answer.chunk()).await;
        }
        self.assembler.finish()
    }

    /// Hears the next bytes; false when nothing more is to be heard.
    async fn more(&mut self) -> Result<bool, Trouble> {
        match self.answer.chunk().await {
            Ok(bytes) => self.take(bytes),
            // Some end the connection once the model is done.
            Err(_) if self.assembler.is_whole() => Ok(false),
            Err(trouble) => Err(trouble),
        }
    }

    fn take(&mut self, bytes: Option<Bytes>) -> Result<bool, Trouble> {
        let Some(bytes) = bytes else {
            // Some servers leave out the last blank line.
            let rest = self.decoder.rest().map_err(Trouble::of_frame)?;
            self.show(rest.as_slice())?;
            return Ok(false);
        };
        self.sink.alive();
        self.taken_bytes += bytes.len();
        if self.taken_bytes > STREAM_LIMIT_BYTES {
            return Err(Trouble::foreign(format!("it is larger than {STREAM_LIMIT_BYTES} bytes")));
        }
        let frames = self.decoder.push(&bytes).map_err(Trouble::of_frame)?;
        self.show(&frames)?;
        Ok(!self.assembler.ended())
    }

    fn show(&mut self, frames: &[Frame]) -> Result<(), Trouble> {
        for frame in frames {
            match self.assembler.push(frame)? {
                Some(Piece::Text(words)) => self.sink.text(&words),
                Some(Piece::Thought(words)) => self.sink.thought(&words),
                None => {}
            }
        }
        Ok(())
    }
}

/// Cap of one event; the closing event of some dialects holds the whole answer.
const FRAME_LIMIT_BYTES: usize = 64 << 20;
/// Cap of a whole stream.
const STREAM_LIMIT_BYTES: usize = 256 << 20;
/// How long the tokens of an answer may follow the last of its words.
const LATE: Duration = Duration::from_secs(3);
