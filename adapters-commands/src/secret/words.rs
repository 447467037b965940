//! Why a secret is missing, in each language of the catalogue.

use entracte_application::ports::SecretError;
use entracte_application::texts::{Texts, say};

/// What is missing, and how to provide it. Never says anything of the secret itself.
pub(crate) fn said(error: &SecretError, texts: &Texts) -> String {
    match error {
        SecretError::NotSet(name) => say!(texts, "tools-secret-not-set", name = name),
        SecretError::Unreadable { path, source } => {
            say!(texts, "tools-secret-unreadable", path = path, why = source.to_string())
        }
        SecretError::NotPrinted { program, problem } => {
            say!(texts, "tools-secret-not-printed", program = program, why = problem)
        }
    }
}
