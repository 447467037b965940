//! Where secrets are kept: in variables, files and programs of this machine.

use std::sync::Arc;

use entracte_application::ports::{SecretError, SecretStore};
use entracte_application::system::SystemSecrets;

use crate::message::{Message, message};

/// Where keys are kept.
pub(crate) fn secrets() -> Arc<dyn SecretStore> {
    Arc::new(SystemSecrets)
}

/// What is missing, and how to provide it.
pub(crate) fn missing(error: &SecretError) -> Message {
    match error {
        SecretError::NotSet(name) => message!("tools-secret-not-set", name = name),
        SecretError::Unreadable { path, source } => {
            message!("tools-secret-unreadable", path = path, why = source.to_string())
        }
        SecretError::NotPrinted { program, problem } => {
            message!("tools-secret-not-printed", program = program, why = problem)
        }
    }
}
