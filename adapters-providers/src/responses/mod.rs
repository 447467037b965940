//! The Responses API of OpenAI.
//!
//! Mappings only; [`crate::network_provider`] sends.

mod request;
mod response;
mod stream;
#[cfg(test)]
mod tests;
mod wire;

use entracte_application::ports::{FileContents, ModelReply, ModelRequest, PromptTurn};
use serde_json::Error;

use crate::dialect::{ReplyAssembler, TokenCountEndpoint, WireDialect};
use crate::encoder_settings::{EncoderSettings, ReplyDecodeContext};
use crate::failure::WireFailure;

/// The wire dialect of the Responses API.
#[derive(Debug)]
pub(crate) struct OpenaiResponses;

impl WireDialect for OpenaiResponses {
    fn path(&self) -> &'static str {
        "/responses"
    }

    fn models_path(&self) -> &'static str {
        "/models"
    }

    fn token_count_endpoint(&self) -> Option<TokenCountEndpoint> {
        let members = &[
            "model",
            "instructions",
            "input",
            "tools",
            "tool_choice",
            "parallel_tool_calls",
            "reasoning",
            "text",
            "truncation",
            "conversation",
            "previous_response_id",
        ];
        Some(TokenCountEndpoint { path: "/responses/input_tokens", members })
    }

    fn write_opening(&self, request: &ModelRequest, settings: &EncoderSettings) -> Result<Vec<u8>, Error> {
        request::opening(request, settings)
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

    fn write_closing(&self, request: &ModelRequest, settings: &EncoderSettings) -> Result<Vec<u8>, Error> {
        request::rest(request, settings)
    }

    fn decode_whole(&self, body: &[u8], reading: &ReplyDecodeContext) -> Result<ModelReply, WireFailure> {
        response::whole(body, reading)
    }

    fn assembler(&self, reading: &ReplyDecodeContext) -> Box<dyn ReplyAssembler> {
        Box::new(stream::ResponseAssembler::new(reading.clone()))
    }
}
