//! The Messages API of Claude, version 2026-10-21, and of compatible servers.
//!
//! Mappings only; [`crate::network_provider`] sends.

mod block;
mod request;
mod response;
mod stream;
#[cfg(test)]
mod tests;
mod usage;
mod wire;

use std::borrow::Cow;

use entracte_application::ports::{FileContents, ModelReply, ModelRequest, PromptTurn};
use serde_json::Error;

use crate::dialect::{ReplyAssembler, TokenCountEndpoint, WireDialect};
use crate::encoder_settings::{EncoderSettings, ReplyDecodeContext};
use crate::failure::WireFailure;

/// The wire dialect of the Messages API.
#[derive(Debug)]
pub(crate) struct AnthropicMessages;

impl WireDialect for AnthropicMessages {
    fn path(&self) -> &'static str {
        "/v1/messages"
    }

    fn models_path(&self) -> &'static str {
        "/v1/models"
    }

    fn models_query(&self) -> &'static [(&'static str, &'static str)] {
        &[("limit", "1000")]
    }

    fn models_after(&self) -> &'static str {
        "after_id"
    }

    fn default_output_limit(&self) -> Option<u32> {
        Some(request::MAX_TOKENS)
    }

    fn token_count_endpoint(&self) -> Option<TokenCountEndpoint> {
        let members = &[
            "model",
            "system",
            "messages",
            "tools",
            "tool_choice",
            "thinking",
            "output_config",
            "cache_control",
        ];
        Some(TokenCountEndpoint { path: "/v1/messages/count_tokens", members })
    }

    fn write_opening(&self, request: &ModelRequest, settings: &EncoderSettings) -> Result<Vec<u8>, Error> {
        request::opening(request, settings)
    }

    fn encodes_independently(&self, turn: &PromptTurn, settings: &EncoderSettings) -> bool {
        !request::is_empty(turn, settings)
    }

    fn write_settled_turn(
        &self,
        turn: &PromptTurn,
        files: &FileContents,
        settings: &EncoderSettings,
        list: &mut Vec<u8>,
    ) -> Result<(), Error> {
        request::turn(turn, files, settings, list)
    }

    fn write_open_turns(
        &self,
        turns: &[Cow<'_, PromptTurn>],
        all: bool,
        request: &ModelRequest,
        settings: &EncoderSettings,
        list: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        request::last_turns(turns, all, request, settings, list)
    }

    fn write_closing(&self, request: &ModelRequest, settings: &EncoderSettings) -> Result<Vec<u8>, Error> {
        request::rest(request, settings)
    }

    fn decode_whole(&self, body: &[u8], reading: &ReplyDecodeContext) -> Result<ModelReply, WireFailure> {
        response::whole(body, reading)
    }

    fn assembler(&self, reading: &ReplyDecodeContext) -> Box<dyn ReplyAssembler> {
        Box::new(stream::MessageAssembler::new(reading.clone()))
    }
}
