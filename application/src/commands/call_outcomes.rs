//! Helpers shared by the executors of this module: declaring commands and building outcomes.

use std::fmt::Display;

use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::file::{FileReference, append_file_lines};
use serde_json::json;

use crate::codec::CodecError;
use crate::ports::StoreError;
use crate::settings::Language;
use crate::system::sha256;
use crate::texts::LocalizedTexts;

/// The log or one of its rows cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum LogReadError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Codec(#[from] CodecError),
}

/// The documentation of a command in the text catalogue.
pub(super) fn doc(word: &str) -> String {
    LocalizedTexts::for_language(Language::En).render(&format!("doc-{word}"), &[])
}

/// The schema of an object with these properties and no others.
pub(super) fn object(properties: &serde_json::Value, required: &[&str]) -> serde_json::Value {
    json!({
        "type": "object", "additionalProperties": false, "required": required, "properties": properties,
    })
}

/// A permanent failure that concerns no single argument.
pub(super) fn permanent_failure(code: &str, message: String) -> CallFailure {
    CallFailure { code: code.to_owned(), message, path: None, retryable: false }
}

/// The failure of a read that is impossible now.
pub(super) fn read_failure(fault: &impl Display) -> CallFailure {
    CallFailure { retryable: true, ..permanent_failure("NOT_READ", fault.to_string()) }
}

/// The outcome of a call, from the text for the model.
pub(super) fn outcome(answer: Result<String, CallFailure>) -> CallOutcome {
    match answer {
        Ok(content) => outcome_with_files(content, Vec::new()),
        Err(failure) => CallOutcome::Failed(failure),
    }
}

/// The outcome of a call, from the text for the model and the files that follow it.
pub(super) fn outcome_with_files(content: String, files: Vec<FileReference>) -> CallOutcome {
    let mut whole = content.clone();
    append_file_lines(&mut whole, &files);
    CallOutcome::Succeeded { digest: sha256(whole.as_bytes()), content, files }
}
