use secrecy::SecretString;

use crate::ports::{SecretError, SecretReference, SecretStore};

/// Secrets from environment variables and files.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemSecrets;

impl SecretStore for SystemSecrets {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    fn secret(&self, reference: &SecretReference) -> Result<SecretString, SecretError> {
        match reference {
            SecretReference::Environment(name) => match std::env::var(name) {
                Ok(secret) if !secret.trim().is_empty() => Ok(secret.trim().to_owned().into()),
                Ok(_) | Err(_) => Err(SecretError::NotSet(name.clone())),
            },
            SecretReference::File(path) => match std::fs::read_to_string(path) {
                Ok(secret) => Ok(secret.trim().to_owned().into()),
                Err(source) => Err(SecretError::Unreadable { path: path.clone(), source }),
            },
        }
    }
}
