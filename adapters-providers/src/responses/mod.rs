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

use entracte_application::ports::{ModelReply, ModelRequest};

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

    fn body(&self, request: &ModelRequest, settings: &Settings) -> Result<Vec<u8>, serde_json::Error> {
        request::body(request, settings)
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
