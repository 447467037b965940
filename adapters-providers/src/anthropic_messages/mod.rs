//! The Messages API of Claude, version 2026-10-21, and of servers that speak it.
//!
//! Mappings only; [`crate::client`] sends.

mod block;
mod error;
mod request;
mod response;
mod stream;
#[cfg(test)]
mod tests;
mod wire;

use std::borrow::Cow;

use entracte_application::ports::{ModelReply, ModelRequest, PromptTurn};
use serde_json::Error;

use crate::dialect::{Assembler, Counting, Dialect};
use crate::failure::{Classified, Trouble};
use crate::server_error::ServerError;
use crate::settings::{Reading, Settings};

/// The dialect.
#[derive(Debug)]
pub(crate) struct AnthropicMessages;

impl Dialect for AnthropicMessages {
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

    fn counting(&self) -> Option<Counting> {
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
        Some(Counting { path: "/v1/messages/count_tokens", members })
    }

    fn opening(&self, request: &ModelRequest, settings: &Settings) -> Result<Vec<u8>, Error> {
        request::opening(request, settings)
    }

    fn stands_alone(&self, turn: &PromptTurn, settings: &Settings) -> bool {
        !request::is_empty(turn, settings)
    }

    fn settled(&self, turn: &PromptTurn, settings: &Settings, list: &mut Vec<u8>) -> Result<(), Error> {
        request::turn(turn, settings, list)
    }

    fn open(
        &self,
        turns: &[Cow<'_, PromptTurn>],
        all: bool,
        request: &ModelRequest,
        settings: &Settings,
        list: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        request::last_turns(turns, all, request, settings, list)
    }

    fn rest(&self, request: &ModelRequest, settings: &Settings) -> Result<Vec<u8>, Error> {
        request::rest(request, settings)
    }

    fn whole(&self, body: &[u8], reading: &Reading) -> Result<ModelReply, Trouble> {
        response::whole(body, reading)
    }

    fn assembler(&self, reading: &Reading) -> Box<dyn Assembler> {
        Box::new(stream::MessageAssembler::new(reading.clone()))
    }

    fn classify(&self, status: u16, error: &ServerError) -> Classified {
        error::classify(status, error)
    }
}
