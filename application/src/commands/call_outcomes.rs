//! What the executors of this room have in common: how their commands are declared, and how they are answered.

use std::fmt::Display;

use entracte_domain::call::{CallFailure, CallOutcome};
use serde_json::json;

use crate::codec::CodecError;
use crate::ports::StoreError;
use crate::settings::Language;
use crate::system::sha256;
use crate::texts::LocalizedTexts;

/// The log or a row of it cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum LogReadError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Codec(#[from] CodecError),
}

/// What the catalogue of texts says of a command.
pub(super) fn doc(word: &str) -> String {
    LocalizedTexts::for_language(Language::En).render(&format!("doc-{word}"), &[])
}

/// The schema of an object that has these properties and no others.
pub(super) fn object(properties: &serde_json::Value, required: &[&str]) -> serde_json::Value {
    json!({
        "type": "object", "additionalProperties": false, "required": required, "properties": properties,
    })
}

/// A failure that is about nothing of its arguments and stays.
pub(super) fn permanent_failure(code: &str, message: String) -> CallFailure {
    CallFailure { code: code.to_owned(), message, path: None, retryable: false }
}

/// What was to be read cannot be read now.
pub(super) fn read_failure(fault: &impl Display) -> CallFailure {
    CallFailure { retryable: true, ..permanent_failure("NOT_READ", fault.to_string()) }
}

/// What the model reads, as the outcome of a call.
pub(super) fn outcome(answer: Result<String, CallFailure>) -> CallOutcome {
    match answer {
        Ok(content) => CallOutcome::Succeeded { digest: sha256(content.as_bytes()), content },
        Err(failure) => CallOutcome::Failed(failure),
    }
}
