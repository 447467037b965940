//! Renders secret errors in each language of the catalogue.

use entracte_application::ports::{SECRET_LEAST_CHARS, SecretError};
use entracte_application::texts::{LocalizedTexts, say};

/// The missing secret, and how to provide it. Never contains any part of a secret.
pub(crate) fn secret_error_message(error: &SecretError, texts: &LocalizedTexts) -> String {
    match error {
        SecretError::NotSet(name) => say!(texts, "tools-secret-not-set", name = name),
        SecretError::Unreadable { path, source } => {
            say!(texts, "tools-secret-unreadable", path = path, why = source.to_string())
        }
        SecretError::Relative { path, whole } => {
            say!(texts, "tools-secret-relative", path = path, whole = whole)
        }
        SecretError::Silent { path, seconds } => {
            say!(texts, "tools-secret-silent", path = path, seconds = *seconds)
        }
        SecretError::Empty(path) => say!(texts, "tools-secret-empty", path = path),
        SecretError::TooLarge { path, most } => {
            say!(texts, "tools-secret-large", path = path, most = *most)
        }
        SecretError::NotPrinted { program, problem } => {
            say!(texts, "tools-secret-not-printed", program = program, why = problem)
        }
        SecretError::TooShort { place } => {
            say!(texts, "tools-secret-short", place = place, least = SECRET_LEAST_CHARS)
        }
    }
}
