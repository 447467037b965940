//! What an error of a Chat Completions server means.
//!
//! Pure. The codes are those of OpenAI, with Groq's own beside them; local servers tell a prompt that is too long
//! by words only.

use entracte_domain::session::failure::FailureClass;
use serde_json::Value;

use crate::failure::{FailureClassification, FailureSubject, WireFailure};
use crate::responses::error as codes;
use crate::server_error::ServerError;

/// What an error answer means.
pub(super) fn classify(status: u16, error: &ServerError) -> FailureClassification {
    match status {
        // Groq answers 413 with a rate code when one request is more than a minute's tokens.
        413 => (FailureClass::ContextTooLong, FailureSubject::Size),
        400..=499 if error.is(&BAD_GENERATION) => (FailureClass::Repairable, FailureSubject::Repair),
        400 | 404 if names_no_model(error) && !codes::is_too_long(error) => {
            (FailureClass::Misconfigured, FailureSubject::Model)
        }
        _ => codes::classify(status, error),
    }
}

/// An error inside an answer with status 200.
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

/// The model made a call or JSON that the server itself would not take.
const BAD_GENERATION: [&str; 2] = ["tool_use_failed", "json_validate_failed"];
