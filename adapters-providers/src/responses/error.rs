//! Classifies errors of the Responses API.
//!
//! Pure. By status, then code, then type. Chat Completions shares the codes.

use entracte_domain::session::failure::FailureClass;
use serde_json::Value;

use crate::failure::{FailureClassification, FailureSubject, WireFailure, classify_status};
use crate::server_error::ServerError;

/// Classifies an error answer.
pub(crate) fn classify(status: u16, error: &ServerError) -> FailureClassification {
    by_code(error).unwrap_or_else(|| match status {
        400 | 422 | 500 if is_too_long(error) => (FailureClass::ContextTooLong, FailureSubject::Size),
        400 if error.says(&["reasoning summaries", "reasoning.summary"]) => {
            (FailureClass::Misconfigured, FailureSubject::Summary)
        }
        // Reasoning that the server no longer finds, or that has no item after it.
        400 | 404 if error.says(&["required following item", "items are not persisted"]) => {
            (FailureClass::Repairable, FailureSubject::Repair)
        }
        _ => classify_status(status),
    })
}

/// Whether the prompt is too long; gateways and local servers report that only in the error text.
pub(crate) fn is_too_long(error: &ServerError) -> bool {
    error.is(&["exceed_context_size_error"])
        || error.says(&[
            "context length",
            "context size",
            "context window",
            "prompt is too long",
            "exceeds the maximum number of tokens",
        ])
}

/// The failure of an `error` event after a status of 200.
pub(crate) fn in_stream(data: &str) -> WireFailure {
    let error = ServerError::read(data.as_bytes());
    WireFailure::new(in_answer(&error), error.words)
}

/// The failure of a `response.failed` event.
pub(super) fn failed(error: Option<&Value>) -> WireFailure {
    let error = error.map(ServerError::of).unwrap_or_default();
    let words = if error.words.is_empty() { "the answer failed" } else { &error.words };
    WireFailure::new(in_answer(&error), words)
}

/// Classifies an error without a status: a server fault is likeliest, unless the error names the request.
pub(crate) fn in_answer(error: &ServerError) -> FailureClassification {
    if is_too_long(error) {
        return (FailureClass::ContextTooLong, FailureSubject::Size);
    }
    by_code(error).unwrap_or_else(|| {
        let status = error.code.parse().ok().filter(|status| (400..600).contains(status));
        classify_status(status.unwrap_or(if error.kind == "invalid_request_error" { 400 } else { 500 }))
    })
}

fn by_code(error: &ServerError) -> Option<FailureClassification> {
    let table: [(&[&str], FailureClassification); 7] = [
        (&SPEND, (FailureClass::Exhausted, FailureSubject::Spend)),
        (
            &["context_length_exceeded", "string_above_max_length"],
            (FailureClass::ContextTooLong, FailureSubject::Size),
        ),
        (&["rate_limit_exceeded", "slow_down"], (FailureClass::Throttled, FailureSubject::Rate)),
        (&REFUSED, (FailureClass::Refused, FailureSubject::Content)),
        (&["invalid_encrypted_content"], (FailureClass::Repairable, FailureSubject::Repair)),
        (&["model_not_found"], (FailureClass::Misconfigured, FailureSubject::Model)),
        (&["invalid_api_key"], (FailureClass::Misconfigured, FailureSubject::Key)),
    ];
    table.into_iter().find(|(names, _)| error.is(names)).map(|(_, classify)| classify)
}

const SPEND: [&str; 5] = [
    "insufficient_quota",
    "credit_balance_exhausted",
    "organization_spend_limit_exceeded",
    "project_spend_limit_exceeded",
    "organization_usage_limit_exceeded",
];
const REFUSED: [&str; 3] = ["invalid_prompt", "content_policy_violation", "content_filter"];
