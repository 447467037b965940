use entracte_domain::id::WorkspaceKey;
use secrecy::SecretString;

use crate::texts::{LocalizedMessage, saying};

/// The minimum length of a secret, in characters. A shorter one would occur in texts by chance, so it could not be
/// scrubbed from them.
pub const SECRET_LEAST_CHARS: usize = 8;

/// The owner of secrets: one person in one workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretOwner {
    /// The workspace the secrets may be used in.
    pub workspace: WorkspaceKey,
    /// The person's name, as the author of their actions.
    pub person: String,
}

/// Why the secrets of a person cannot be read or stored.
#[derive(Debug, thiserror::Error)]
pub enum PersonSecretError {
    /// The storage cannot be read or written.
    #[error("the secrets of people in {path} cannot be used: {source}; check the permissions of the folder")]
    Unusable {
        /// The file or folder.
        path: String,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The stored file has an invalid format.
    #[error("the file {path} is damaged, and nothing in it is used; remove it, and set its secrets again")]
    Damaged {
        /// The path of the file.
        path: String,
    },
    /// The secret is too short to be scrubbed from texts, so it is not used.
    #[error("the secret {name} has fewer than {SECRET_LEAST_CHARS} characters; keep a longer one")]
    TooShort {
        /// The name of the secret.
        name: String,
    },
}

impl PersonSecretError {
    /// The error as a localisable message.
    pub fn saying(&self) -> LocalizedMessage {
        match self {
            Self::Unusable { path, source } => {
                saying!("secrets-unusable", path = path, why = source.to_string())
            }
            Self::Damaged { path } => saying!("secrets-damaged", path = path),
            Self::TooShort { name } => saying!("secret-short", name = name, least = SECRET_LEAST_CHARS),
        }
    }
}

/// Stores the secrets of people. Each is used only on behalf of its owner.
///
/// Contract: the secrets of a person in one workspace are visible to no other person and in no other workspace; errors
/// name the storage path, never any part of a secret; other processes see a change immediately, and a crash leaves it
/// complete or not made.
///
/// ```
/// use entracte_application::ports::{MockPersonSecretStore, PersonSecretStore, SecretOwner};
/// use entracte_domain::id::WorkspaceKey;
///
/// let mut kept = MockPersonSecretStore::new();
/// kept.expect_secret().returning(|holder, name| {
///     Ok((holder.person == "ann" && name == "github").then(|| "ghp_1".into()))
/// });
/// let of = |person: &str| SecretOwner { workspace: WorkspaceKey::new("ann:home"), person: person.into() };
/// assert!(kept.secret(&of("ann"), "github").unwrap().is_some());
/// assert!(kept.secret(&of("bob"), "github").unwrap().is_none());
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
pub trait PersonSecretStore: Send + Sync {
    /// The names of a person's secrets, in order.
    ///
    /// # Errors
    /// When they cannot be read.
    fn names(&self, holder: &SecretOwner) -> Result<Vec<String>, PersonSecretError>;

    /// One secret of a person; `None` if there is none of that name.
    ///
    /// # Errors
    /// When it cannot be read.
    fn secret(&self, holder: &SecretOwner, name: &str) -> Result<Option<SecretString>, PersonSecretError>;

    /// Stores a secret, replacing the one of that name.
    ///
    /// # Errors
    /// When it cannot be written; the previous secret is preserved then.
    fn store_secret(
        &self,
        holder: &SecretOwner,
        name: &str,
        secret: &SecretString,
    ) -> Result<(), PersonSecretError>;

    /// Deletes a secret; returns whether it existed.
    ///
    /// # Errors
    /// When the change cannot be written.
    fn delete_secret(&self, holder: &SecretOwner, name: &str) -> Result<bool, PersonSecretError>;

    /// All readable secrets of a person, for scrubbing them from texts where they may be used.
    fn secrets(&self, holder: &SecretOwner) -> Vec<SecretString>;

    /// The stored secrets of a workspace that are too short to be used, as owner and name: earlier versions accepted
    /// them.
    fn unusable_secrets(&self, workspace: &WorkspaceKey) -> Vec<(String, String)>;
}

/// A store without secrets.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmptyPersonSecretStore;

impl PersonSecretStore for EmptyPersonSecretStore {
    fn names(&self, _holder: &SecretOwner) -> Result<Vec<String>, PersonSecretError> {
        Ok(Vec::new())
    }

    fn secret(&self, _holder: &SecretOwner, _name: &str) -> Result<Option<SecretString>, PersonSecretError> {
        Ok(None)
    }

    fn store_secret(&self, _: &SecretOwner, _: &str, _: &SecretString) -> Result<(), PersonSecretError> {
        let source = std::io::Error::other("there is no place for them here");
        Err(PersonSecretError::Unusable { path: String::new(), source })
    }

    fn delete_secret(&self, _holder: &SecretOwner, _name: &str) -> Result<bool, PersonSecretError> {
        Ok(false)
    }

    fn secrets(&self, _holder: &SecretOwner) -> Vec<SecretString> {
        Vec::new()
    }

    fn unusable_secrets(&self, _workspace: &WorkspaceKey) -> Vec<(String, String)> {
        Vec::new()
    }
}
