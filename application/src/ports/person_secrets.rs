use entracte_domain::id::WorkspaceKey;
use secrecy::SecretString;

use crate::texts::{LocalizedMessage, saying};

/// The shortest secret, in characters. A shorter one would be found in texts by chance, so it could not be taken out of them.
pub const SECRET_LEAST_CHARS: usize = 8;

/// One person in one workspace: whoever a secret belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretOwner {
    /// Where.
    pub workspace: WorkspaceKey,
    /// Who, as the author of what they do.
    pub person: String,
}

/// Why the secrets of people cannot be had or kept.
#[derive(Debug, thiserror::Error)]
pub enum PersonSecretError {
    /// Where they are kept cannot be read or written.
    #[error("the secrets of people in {path} cannot be used: {source}; check the permissions of the folder")]
    Unusable {
        /// The file or folder.
        path: String,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// What is kept there is something else.
    #[error("the file {path} is damaged, and nothing in it is used; remove it, and set its secrets again")]
    Damaged {
        /// The file.
        path: String,
    },
    /// It could not be taken out of texts, so it is not sent.
    #[error("the secret {name} has fewer than {SECRET_LEAST_CHARS} characters; keep a longer one")]
    TooShort {
        /// Its name.
        name: String,
    },
}

impl PersonSecretError {
    /// The same, for whoever reads it in another language.
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

/// Keeps the secrets that people bring themselves. They are used for nobody else.
///
/// Contract: what a person has in one workspace is found for no other person and in no other workspace; an error names the
/// place, never anything of a secret; a change is seen by other processes at once, and is whole after a crash.
///
/// ```
/// use entracte_application::ports::{MockPersonSecretStore, PersonSecrets, SecretHolder};
/// use entracte_domain::id::WorkspaceKey;
///
/// let mut kept = MockPersonSecretStore::new();
/// kept.expect_secret().returning(|holder, name| {
///     Ok((holder.person == "ann" && name == "github").then(|| "ghp_1".into()))
/// });
/// let of = |person: &str| SecretHolder { workspace: WorkspaceKey::new("ann:home"), person: person.into() };
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

    /// A secret; none when the person has none of that name.
    ///
    /// # Errors
    /// When it cannot be read.
    fn secret(&self, holder: &SecretOwner, name: &str) -> Result<Option<SecretString>, PersonSecretError>;

    /// Keeps a secret in the place of the one of that name.
    ///
    /// # Errors
    /// When it cannot be written; the one before is kept then.
    fn store_secret(
        &self,
        holder: &SecretOwner,
        name: &str,
        secret: &SecretString,
    ) -> Result<(), PersonSecretError>;

    /// Removes a secret; whether there was one.
    ///
    /// # Errors
    /// When that cannot be written.
    fn delete_secret(&self, holder: &SecretOwner, name: &str) -> Result<bool, PersonSecretError>;

    /// Every secret of a person that can be read, to take them out of what is said where they may be used.
    fn secrets(&self, holder: &SecretOwner) -> Vec<SecretString>;

    /// The secrets of a workspace that are too short to be used, as whose they are and their names: earlier versions kept them.
    fn unusable_secrets(&self, workspace: &WorkspaceKey) -> Vec<(String, String)>;
}

/// Where nobody keeps any.
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
