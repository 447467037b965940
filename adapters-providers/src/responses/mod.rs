//! The Responses API of OpenAI.
//!
//! Mappings only; [`crate::client`] sends.

pub(crate) mod error;
mod request;
mod response;
mod stream;
#[cfg(test)]
mod tests;
mod wire;

use entracte_application::ports::{ModelReply, ModelRequest, PromptTurn};
use serde_json::Error;

use crate::dialect::{Assembler, Counting, Dialect};
use crate::failure::{Classified, Trouble};
use crate::server_error::ServerError;
use crate::settings::{Reading, Settings};

/// The dialect.
#[derive(Debug)]
pub(crate) struct Responses;

impl Dialect for Responses {
    fn path(&self) -> &'static str {
        "/responses"
    }

    fn models_path(&self) -> &'static str {
        "/models"
    }

    fn counting(&self) -> Option<Counting> {
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
        Some(Counting { path: "/responses/input_tokens", members })
    }

    fn opening(&self, request: &ModelRequest, settings: &Settings) -> Result<Vec<u8>, Error> {
        request::opening(request, settings)
    }

    fn settled(&self, turn: &PromptTurn, settings: &Settings, list: &mut Vec<u8>) -> Result<(), Error> {
        request::turn(turn, settings, list)
    }

    fn rest(&self, request: &ModelRequest, settings: &Settings) -> Result<Vec<u8>, Error> {
        request::rest(request, settings)
    }

    fn whole(&self, body: &[u8], reading: &Reading) -> Result<ModelReply, Trouble> {
        response::whole(body, reading)
    }

    fn assembler(&self, reading: &Reading) -> Box<dyn Assembler> {
        Box::new(stream::ResponseAssembler::new(reading.clone()))
    }

    fn classify(&self, status: u16, error: &ServerError) -> Classified {
        error::classify(status, error)
    }
}
