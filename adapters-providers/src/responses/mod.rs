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

use entracte_application::ports::{ModelReply, ModelRequest, Turn};
use serde_json::Error;

use crate::dialect::{Assembler, Dialect, Settings};
use crate::failure::{Trouble, Verdict};
use crate::profiles::Profile;
use crate::server_error::ServerError;

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

    fn opening(&self, request: &ModelRequest, _settings: &Settings) -> Result<Vec<u8>, Error> {
        request::opening(request)
    }

    fn settled(&self, turn: &Turn, settings: &Settings, list: &mut Vec<u8>) -> Result<(), Error> {
        request::turn(turn, settings, list)
    }

    fn rest(&self, request: &ModelRequest, settings: &Settings) -> Result<Vec<u8>, Error> {
        request::rest(request, settings)
    }

    fn whole(&self, body: &[u8], profile: &Profile) -> Result<ModelReply, Trouble> {
        response::whole(body, profile.raw_dialect)
    }

    fn assembler(&self, profile: &'static Profile) -> Box<dyn Assembler> {
        Box::new(stream::ResponseAssembler::new(profile.raw_dialect))
    }

    fn verdict(&self, status: u16, error: &ServerError) -> Verdict {
        error::verdict(status, error)
    }
}
