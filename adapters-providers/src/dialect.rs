//! What a wire dialect is to the client: pure mappings, no connection.

use std::borrow::Cow;

use entracte_application::ports::{ModelReply, ModelRequest, PromptTurn};
use serde_json::Error;

use crate::encoder_settings::{EncoderSettings, ReplyDecodeContext};
use crate::failure::{FailureClassification, WireFailure};
use crate::server_error::ServerError;
use crate::sse::SseFrame;

/// How a wire counts the tokens of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenCountEndpoint {
    /// The path, after the base address.
    pub(crate) path: &'static str,
    /// The members of a call's body that it takes; it refuses others.
    pub(crate) members: &'static [&'static str],
}

/// A wire dialect.
pub(crate) trait WireDialect: Send + Sync {
    /// The path of a model call, after the base address.
    fn path(&self) -> &'static str;

    /// The path that lists models, after the base address.
    fn models_path(&self) -> &'static str;

    /// What is asked of that path: how many models a page has, where that must be said.
    fn models_query(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The parameter that names the last model of the page before.
    fn models_after(&self) -> &'static str {
        "after"
    }

    /// Where a request is counted without being answered: the path, and the members of its body that the server takes
    /// there; none where it counts none.
    fn token_count_endpoint(&self) -> Option<TokenCountEndpoint> {
        None
    }

    /// The beginning of the body of a model call, up to its list of turns and what comes first in it.
    fn write_opening(&self, request: &ModelRequest, settings: &EncoderSettings) -> Result<Vec<u8>, Error>;

    /// Whether a turn is written without a look at those around it; every turn is, unless a dialect says otherwise.
    fn encodes_independently(&self, _turn: &PromptTurn, _settings: &EncoderSettings) -> bool {
        true
    }

    /// Writes a turn that no mark will stand on.
    fn write_settled_turn(
        &self,
        turn: &PromptTurn,
        settings: &EncoderSettings,
        list: &mut Vec<u8>,
    ) -> Result<(), Error>;

    /// Writes the last turns; `all` when they are all. False when they cannot be written without those before them.
    /// They are written as settled ones are, unless a dialect has marks for them.
    fn write_open_turns(
        &self,
        turns: &[Cow<'_, PromptTurn>],
        _all: bool,
        _request: &ModelRequest,
        settings: &EncoderSettings,
        list: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        turns.iter().try_for_each(|turn| self.write_settled_turn(turn, settings, list))?;
        Ok(true)
    }

    /// What follows the turns, to the end of the body.
    fn write_closing(&self, request: &ModelRequest, settings: &EncoderSettings) -> Result<Vec<u8>, Error>;

    /// Reads an answer that came in one piece.
    fn decode_whole(&self, body: &[u8], reading: &ReplyDecodeContext) -> Result<ModelReply, WireFailure>;

    /// An assembler for one streamed answer.
    fn assembler(&self, reading: &ReplyDecodeContext) -> Box<dyn ReplyAssembler>;

    /// What an error answer means.
    fn classify(&self, status: u16, error: &ServerError) -> FailureClassification;
}

/// A piece of a streamed answer, to be shown as it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReplyStreamDelta {
    /// Of the text.
    Text(String),
    /// Of what the model thinks aloud.
    Thought(String),
}

impl ReplyStreamDelta {
    /// Text, when there is any.
    pub(crate) fn text(words: &str) -> Option<Self> {
        (!words.is_empty()).then(|| Self::Text(words.to_owned()))
    }

    /// Thought, when there is any.
    pub(crate) fn thought(words: &str) -> Option<Self> {
        (!words.is_empty()).then(|| Self::Thought(words.to_owned()))
    }
}

/// Puts a streamed answer together.
pub(crate) trait ReplyAssembler: Send {
    /// Takes the next frame; returns the next piece of the answer, if it brings one.
    fn push_frame(&mut self, frame: &SseFrame) -> Result<Option<ReplyStreamDelta>, WireFailure>;

    /// Whether nothing more is worth waiting for: the last event came.
    fn is_last_event_seen(&self) -> bool;

    /// Whether what came so far is a whole answer: the model said that, and how, it ended.
    fn is_whole(&self) -> bool;

    /// The whole answer; [`WireFailure::cut`] when it is not whole.
    fn finish(self: Box<Self>) -> Result<ModelReply, WireFailure>;
}
