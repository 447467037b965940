//! What a wire dialect is to the client: pure mappings, no connection.

use std::borrow::Cow;

use entracte_application::ports::{ModelReply, ModelRequest, Turn};
use serde_json::Error;

use crate::anthropic_messages::AnthropicMessages;
use crate::chat_completions::ChatCompletions;
use crate::config::{Kind, ProviderConfig, StructuredOutput};
use crate::failure::{Trouble, Verdict};
use crate::profiles::Profile;
use crate::responses::Responses;
use crate::server_error::ServerError;
use crate::sse::Frame;

/// A wire dialect.
pub(crate) trait Dialect: Send + Sync {
    /// The path of a model call, after the base address.
    fn path(&self) -> &'static str;

    /// The path that lists models, after the base address.
    fn models_path(&self) -> &'static str;

    /// The beginning of the body of a model call, up to its list of turns and what stands first in it.
    fn opening(&self, request: &ModelRequest, settings: &Settings) -> Result<Vec<u8>, Error>;

    /// Whether a turn is written without a look at those around it; every turn is, unless a dialect says otherwise.
    fn stands_alone(&self, _turn: &Turn, _settings: &Settings) -> bool {
        true
    }

    /// Writes a turn that no mark will stand on.
    fn settled(&self, turn: &Turn, settings: &Settings, list: &mut Vec<u8>) -> Result<(), Error>;

    /// Writes the last turns; `all` when they are all. False when they cannot be written without those before them.
    /// They are written as settled ones are, unless a dialect has marks for them.
    fn open(
        &self,
        turns: &[Cow<'_, Turn>],
        _all: bool,
        _request: &ModelRequest,
        settings: &Settings,
        list: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        turns.iter().try_for_each(|turn| self.settled(turn, settings, list))?;
        Ok(true)
    }

    /// What follows the turns, to the end of the body.
    fn rest(&self, request: &ModelRequest, settings: &Settings) -> Result<Vec<u8>, Error>;

    /// Reads an answer that came in one piece.
    fn whole(&self, body: &[u8], profile: &Profile) -> Result<ModelReply, Trouble>;

    /// An assembler for one streamed answer.
    fn assembler(&self, profile: &'static Profile) -> Box<dyn Assembler>;

    /// What an error answer means.
    fn verdict(&self, status: u16, error: &ServerError) -> Verdict;
}

/// The dialect of a kind.
pub(crate) fn spoken_by(kind: Kind) -> &'static dyn Dialect {
    match kind {
        Kind::Claude => &AnthropicMessages,
        Kind::Openai => &Responses,
        Kind::Groq | Kind::Compatible | Kind::Rehearsal => &ChatCompletions,
    }
}

/// Puts a streamed answer together.
pub(crate) trait Assembler: Send {
    /// Takes the next frame; gives the next piece of the answer's text, if it brings one.
    fn push(&mut self, frame: &Frame) -> Result<Option<String>, Trouble>;

    /// Whether the closing event came.
    fn ended(&self) -> bool;

    /// The whole answer; [`Trouble::cut`] when the closing event never came.
    fn finish(self: Box<Self>) -> Result<ModelReply, Trouble>;
}

/// What of an entry goes into the body of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    /// What is special about the provider.
    pub(crate) profile: &'static Profile,
    /// Most tokens of an answer.
    pub(crate) max_output_tokens: Option<u32>,
    /// How hard to think.
    pub(crate) effort: Option<String>,
    /// The service tier.
    pub(crate) service_tier: Option<String>,
    /// Sampling.
    pub(crate) temperature: Option<f64>,
    /// Sampling.
    pub(crate) top_p: Option<f64>,
    /// How far the server holds an answer to a shape.
    pub(crate) structured_output: StructuredOutput,
    /// Whether the answer is streamed.
    pub(crate) stream: bool,
}

impl Settings {
    /// The settings of an entry.
    pub(crate) fn of(profile: &'static Profile, config: &ProviderConfig) -> Self {
        Self {
            profile,
            max_output_tokens: config.max_output_tokens,
            effort: config.effort.clone(),
            service_tier: config.service_tier.clone(),
            temperature: config.temperature,
            top_p: config.top_p,
            structured_output: config.structured_output.unwrap_or(profile.structured_output),
            stream: config.stream,
        }
    }

    /// The dialect they are written in.
    pub(crate) fn dialect(&self) -> &'static dyn Dialect {
        spoken_by(self.profile.kind)
    }
}
