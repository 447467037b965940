//! Chat Completions, as served by Groq and compatible servers.
//!
//! Mappings only; [`crate::network_provider`] sends.

mod message;
mod request;
mod response;
mod stream;
#[cfg(test)]
mod tests;
mod wire;

use entracte_application::ports::{FileContents, ModelReply, ModelRequest, PromptTurn};
use serde_json::Error;

use crate::dialect::{ReplyAssembler, WireDialect};
use crate::encoder_settings::{EncoderSettings, ReplyDecodeContext};
use crate::failure::WireFailure;

/// The wire dialect of Chat Completions.
#[derive(Debug)]
pub(crate) struct ChatCompletions;

impl WireDialect for ChatCompletions {
    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn models_path(&self) -> &'static str {
        "/models"
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
        Box::new(stream::ChunkAssembler::new(reading.clone()))
    }
}
