use secrecy::SecretString;

/// Where a secret is kept. The reference may be shown and stored; the secret never.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretReference {
    /// The name of an environment variable.
    Environment(String),
    /// The path of a file that holds nothing else.
    File(String),
    /// A program that prints it, and its arguments. It works in a folder of its own, not where this process stands: a
    /// program that is not in `PATH` is named by its whole path.
    Command(Vec<String>),
}

/// Why a secret cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The variable is not set, or empty.
    #[error("the environment variable {0} is not set; set it: export {0}=…")]
    NotSet(String),
    /// The file cannot be read.
    #[error("the secret file {path} cannot be read")]
    Unreadable {
        /// Its path.
        path: String,
        /// Why the system could not read it.
        #[source]
        source: std::io::Error,
    },
    /// The program does not print it.
    #[error("the program {program} gives no secret: {problem}")]
    NotPrinted {
        /// The program; its arguments may hold what is nobody's business.
        program: String,
        /// What became of it.
        problem: String,
    },
}

/// Gives secrets by reference.
///
/// Contract: an error names the reference and how to fix it, never anything of the secret.
///
/// ```
/// use entracte_application::ports::{SecretError, SecretReference, SecretStore};
/// use secrecy::{ExposeSecret, SecretString};
///
/// /// A vault of one secret.
/// struct Vault;
///
/// impl SecretStore for Vault {
///     fn secret(&self, reference: &SecretReference) -> Result<SecretString, SecretError> {
///         match reference {
///             SecretReference::Environment(name) if name == "MODEL_KEY" => Ok("sk-1".into()),
///             SecretReference::Environment(name) => Err(SecretError::NotSet(name.clone())),
///             SecretReference::File(path) => Err(SecretError::NotSet(path.clone())),
///             SecretReference::Command(_) => Err(SecretError::NotSet("no program".into())),
///         }
///     }
/// }
///
/// let known = SecretReference::Environment("MODEL_KEY".into());
/// assert_eq!(Vault.secret(&known).unwrap().expose_secret(), "sk-1");
/// let other = SecretReference::Environment("OTHER_KEY".into());
/// assert!(Vault.secret(&other).unwrap_err().to_string().contains("OTHER_KEY"));
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
pub trait SecretStore: Send + Sync {
    /// The secret, without the line end that editors leave.
    ///
    /// # Errors
    /// [`SecretError::NotSet`], [`SecretError::Unreadable`] or [`SecretError::NotPrinted`], by where it is kept; each
    /// names that place and what to do, and nothing of the secret. Read again it may be there: nothing is remembered.
    fn secret(&self, reference: &SecretReference) -> Result<SecretString, SecretError>;
}
