//! Classifies errors of the Messages API.
//!
//! Pure. By status, then type, then `details.error_code`; by the error text only where the API marks a case in no other
//! way (a prompt that is too long, a spend limit behind a 400, a signature that is no longer valid).

use entracte_domain::session::failure::FailureClass;

use crate::failure::{FailureClassification, FailureSubject, WireFailure, classify_status};
use crate::server_error::ServerError;

/// Classifies an error answer.
pub(super) fn classify(status: u16, error: &ServerError) -> FailureClassification {
    match status {
        400 if error.says(&["prompt is too long", "exceed context limit", "context window"]) => {
            (FailureClass::ContextTooLong, FailureSubject::Size)
        }
        400 if error.says(&["usage limit", "credit balance"]) => {
            (FailureClass::Exhausted, FailureSubject::Spend)
        }
        400 if is_about_thinking(error) => (FailureClass::Repairable, FailureSubject::Repair),
        404 if error.says(&["model"]) => (FailureClass::Misconfigured, FailureSubject::Model),
        429 if error.is(&SPEND_CODES) => (FailureClass::Exhausted, FailureSubject::Spend),
        _ => classify_status(status),
    }
}

/// The failure of an `error` event, or of an error in place of an answer, after a status of 200.
pub(super) fn in_stream(data: &str) -> WireFailure {
    let error = ServerError::read(data.as_bytes());
    WireFailure::new(classify(status_of(&error.kind), &error), error.words)
}

fn is_about_thinking(error: &ServerError) -> bool {
    error.says(&["thinking"]) && error.says(&["signature", "cannot be modified"])
}

fn status_of(kind: &str) -> u16 {
    match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => 500,
    }
}

const SPEND_CODES: [&str; 3] = [
    "enforced_spend_limit_reached",
    "contract_spend_limit_reached",
    "linked_organization_spend_limit_reached",
];
