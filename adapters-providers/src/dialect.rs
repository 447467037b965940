//! Interface of a wire dialect to the client: pure mappings, no connection.

use std::borrow::Cow;

use entracte_application::ports::{FileContents, ModelReply, ModelRequest, PromptTurn};
use serde_json::Error;

use crate::encoder_settings::{EncoderSettings, ReplyDecodeContext};
use crate::failure::WireFailure;
use crate::sse::SseFrame;

/// The endpoint that counts the tokens of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenCountEndpoint {
    /// The path, after the base address.
    pub(crate) path: &'static str,
    /// The body fields of a call that the endpoint accepts; it refuses others.
    pub(crate) members: &'static [&'static str],
}

/// Mapping between neutral requests and replies and one model API.
pub(crate) trait WireDialect: Send + Sync {
    /// The path of a model call, after the base address.
    fn path(&self) -> &'static str;

    /// The path that lists models, after the base address.
    fn models_path(&self) -> &'static str;

    /// Query parameters of that path: the page size, if the API needs it.
    fn models_query(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The query parameter that names the last model of the previous page.
    fn models_after(&self) -> &'static str {
        "after"
    }

    /// The output limit that a request sets if its entry names none, in tokens; `None` if it sets none.
    fn default_output_limit(&self) -> Option<u32> {
        None
    }

    /// The endpoint that counts a request's tokens without answering it; `None` if the API has none.
    fn token_count_endpoint(&self) -> Option<TokenCountEndpoint> {
        None
    }

    /// Writes the beginning of a call's body, up to its list of turns and any leading elements of that list.
    fn write_opening(&self, request: &ModelRequest, settings: &EncoderSettings) -> Result<Vec<u8>, Error>;

    /// Whether a turn is written independently of its neighbours; true unless a dialect overrides it.
    fn encodes_independently(&self, _turn: &PromptTurn, _settings: &EncoderSettings) -> bool {
        true
    }

    /// Writes a turn that will carry no cache breakpoint.
    fn write_settled_turn(
        &self,
        turn: &PromptTurn,
        files: &FileContents,
        settings: &EncoderSettings,
        list: &mut Vec<u8>,
    ) -> Result<(), Error>;

    /// Writes the last turns; `all` is true if they are the whole conversation. Returns false if they cannot be written
    /// without earlier turns. Written like settled turns, unless a dialect adds breakpoints.
    fn write_open_turns(
        &self,
        turns: &[Cow<'_, PromptTurn>],
        _all: bool,
        request: &ModelRequest,
        settings: &EncoderSettings,
        list: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        turns.iter().try_for_each(|turn| self.write_settled_turn(turn, &request.files, settings, list))?;
        Ok(true)
    }

    /// Writes the fields after the turns, to the end of the body.
    fn write_closing(&self, request: &ModelRequest, settings: &EncoderSettings) -> Result<Vec<u8>, Error>;

    /// Decodes an answer that came in one piece.
    fn decode_whole(&self, body: &[u8], reading: &ReplyDecodeContext) -> Result<ModelReply, WireFailure>;

    /// An assembler for one streamed answer.
    fn assembler(&self, reading: &ReplyDecodeContext) -> Box<dyn ReplyAssembler>;
}

/// A piece of a streamed answer, to be shown on arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReplyStreamDelta {
    /// A piece of the reply text.
    Text(String),
    /// A piece of the model's visible reasoning.
    Thought(String),
}

impl ReplyStreamDelta {
    /// A text delta; `None` if the text is empty.
    pub(crate) fn text(words: &str) -> Option<Self> {
        (!words.is_empty()).then(|| Self::Text(words.to_owned()))
    }

    /// A reasoning delta; `None` if the text is empty.
    pub(crate) fn thought(words: &str) -> Option<Self> {
        (!words.is_empty()).then(|| Self::Thought(words.to_owned()))
    }
}

/// Builds one reply from the frames of a stream.
pub(crate) trait ReplyAssembler: Send {
    /// Takes the next frame; returns the piece of the answer that it contains, if any.
    fn push_frame(&mut self, frame: &SseFrame) -> Result<Option<ReplyStreamDelta>, WireFailure>;

    /// Whether the last event of the stream arrived, so that waiting for more is useless.
    fn is_last_event_seen(&self) -> bool;

    /// Whether the answer is whole so far: the model reported its end and the reason.
    fn is_whole(&self) -> bool;

    /// Returns the whole answer, or [`WireFailure::cut`] if it is incomplete.
    fn finish(self: Box<Self>) -> Result<ModelReply, WireFailure>;
}
