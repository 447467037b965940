use secrecy::SecretString;

use super::SECRET_LEAST_CHARS;

/// The location of a secret. The reference may be shown and stored; the secret must not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretReference {
    /// The name of an environment variable.
    Environment(String),
    /// The absolute path of a file that contains nothing else.
    File(String),
    /// A program that prints the secret.
    Command(SecretProgramSpec),
}

impl SecretReference {
    /// The reference as written in a configuration.
    pub fn words(&self) -> String {
        match self {
            Self::Environment(name) => format!("env:{name}"),
            Self::File(path) => format!("file:{path}"),
            Self::Command(program) => format!("command:{}", program.name()),
        }
    }
}

/// A program that prints a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretProgramSpec {
    /// The program and its arguments. A name without a slash is searched in `PATH`.
    pub line: Vec<String>,
    /// The absolute path of its working directory, to which its relative paths refer; `None` if the reference comes
    /// from no file. It is never the working directory of this process.
    pub folder: Option<String>,
}

impl SecretProgramSpec {
    /// The program without its arguments, which may be confidential.
    pub fn name(&self) -> &str {
        self.line.first().map(String::as_str).unwrap_or_default()
    }
}

/// Why a secret cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The variable is unset or empty.
    #[error("the environment variable {0} is not set; set it: export {0}=…")]
    NotSet(String),
    /// The file cannot be read.
    #[error("the secret file {path} cannot be read")]
    Unreadable {
        /// The path of the file.
        path: String,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The file path is relative, but there is no folder it refers to.
    #[error("the secret file {path} is named by a relative path; write the whole path, such as {whole}")]
    Relative {
        /// The path as given.
        path: String,
        /// The absolute path it would have from the current directory.
        whole: String,
    },
    /// The file is a pipe without a writer.
    #[error(
        "the secret file {path} is a pipe, and nobody wrote to it in {seconds} s; copy the secret into a file"
    )]
    Silent {
        /// The path of the pipe.
        path: String,
        /// How many seconds the reader waited.
        seconds: u64,
    },
    /// The file is empty.
    #[error("the secret file {0} is empty; write the secret into it")]
    Empty(String),
    /// The file is larger than a secret may be.
    #[error("the secret file {path} has more than {most} bytes; it must hold the secret and nothing else")]
    TooLarge {
        /// The path of the file.
        path: String,
        /// The maximum size in bytes.
        most: u64,
    },
    /// The program did not print the secret.
    #[error("the program {program} gives no secret: {problem}")]
    NotPrinted {
        /// The program's name; its arguments may be confidential.
        program: String,
        /// The reason, for people.
        problem: String,
    },
    /// The secret is too short to be scrubbed from texts, so it is not used.
    #[error("the secret {place} has fewer than {SECRET_LEAST_CHARS} characters; use a longer one")]
    TooShort {
        /// The location of the secret.
        place: String,
    },
}

/// Reads secrets by reference.
///
/// Contract: an error names the reference and how to fix it, never any part of the secret.
///
/// ```
/// use entracte_application::ports::{SecretError, SecretReference, SecretStore};
/// use secrecy::{ExposeSecret, SecretString};
///
/// /// A vault with one secret.
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
    /// Reads the secret, without a trailing line end as editors add it.
    ///
    /// # Errors
    /// [`SecretError::NotSet`] for a variable, [`SecretError::NotPrinted`] for a program, the others for a file; each
    /// names the location and how to fix it, never any part of the secret. Nothing is cached: a later read may
    /// succeed.
    fn secret(&self, reference: &SecretReference) -> Result<SecretString, SecretError>;
}
