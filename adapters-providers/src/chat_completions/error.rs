//! Classifies errors of Chat Completions servers.
//!
//! Pure. The codes are those of OpenAI, plus Groq's own; local servers report a prompt that is too long only in the
//! error text.

use entracte_domain::session::failure::FailureClass;
use serde_json::Value;

use crate::failure::{FailureClassification, FailureSubject, WireFailure};
use crate::responses::error as codes;
use crate::server_error::ServerError;

/// Classifies an error answer.
pub(super) fn classify(status: u16, error: &ServerError) -> FailureClassification {
    match status {
        // Groq answers 413 with a rate code if one request exceeds a minute's tokens.
        413 => (FailureClass::ContextTooLong, FailureSubject::Size),
        400..=499 if error.is(&BAD_GENERATION) => (FailureClass::Repairable, FailureSubject::Repair),
        400 | 404 if names_no_model(error) && !codes::is_too_long(error) => {
            (FailureClass::Misconfigured, FailureSubject::Model)
        }
        _ => codes::classify(status, error),
    }
}

/// The failure of an error inside an answer with status 200.
pub(super) fn in_answer(error: &Value) -> WireFailure {
    let error = ServerError::of(error);
    let classify = match error.code.parse().ok().filter(|status| (400..600).contains(status)) {
        Some(status) => classify(status, &error),
        None if error.is(&BAD_GENERATION) => (FailureClass::Repairable, FailureSubject::Repair),
        None => codes::in_answer(&error),
    };
    WireFailure::new(classify, error.words)
}

fn names_no_model(error: &ServerError) -> bool {
    error.says(&["model"]) && error.says(&["not found", "does not exist", "decommissioned"])
}

/// Codes for a call or JSON of the model that the server itself rejected.
const BAD_GENERATION: [&str; 2] = ["tool_use_failed", "json_validate_failed"];
