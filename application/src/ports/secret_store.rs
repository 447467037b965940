use secrecy::SecretString;

use super::SECRET_LEAST_CHARS;

/// Where a secret is kept. The reference may be shown and stored; the secret never.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretReference {
    /// The name of an environment variable.
    Environment(String),
    /// The whole path of a file that holds nothing else.
    File(String),
    /// A program that prints it.
    Command(SecretProgramSpec),
}

impl SecretReference {
    /// As a person writes it.
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
    /// The program and its arguments. A name without a slash is looked for in `PATH`.
    pub line: Vec<String>,
    /// The whole path of the folder in which it works, from which relative paths of it count; none where no file names the
    /// program. It is never the folder where this process stands.
    pub folder: Option<String>,
}

impl SecretProgramSpec {
    /// The program without its arguments, which may hold what is nobody's business.
    pub fn name(&self) -> &str {
        self.line.first().map(String::as_str).unwrap_or_default()
    }
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
    /// The file is named from a folder, and nobody knows from which one.
    #[error("the secret file {path} is named by a relative path; write the whole path, such as {whole}")]
    Relative {
        /// Its path.
        path: String,
        /// What it would be from where this process stands.
        whole: String,
    },
    /// It is a pipe to which nobody writes.
    #[error(
        "the secret file {path} is a pipe, and nobody wrote to it in {seconds} s; copy the secret into a file"
    )]
    Silent {
        /// Its path.
        path: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// Nothing is in the file.
    #[error("the secret file {0} is empty; write the secret into it")]
    Empty(String),
    /// More is in the file than a secret has.
    #[error("the secret file {path} has more than {most} bytes; it must hold the secret and nothing else")]
    TooLarge {
        /// Its path.
        path: String,
        /// The most bytes that are read.
        most: u64,
    },
    /// The program does not print it.
    #[error("the program {program} gives no secret: {problem}")]
    NotPrinted {
        /// The program; its arguments may hold what is nobody's business.
        program: String,
        /// What became of it.
        problem: String,
    },
    /// It could not be taken out of texts, so it is not used.
    #[error("the secret {place} has fewer than {SECRET_LEAST_CHARS} characters; use a longer one")]
    TooShort {
        /// Where it is kept.
        place: String,
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
    /// [`SecretError::NotSet`] of a variable, [`SecretError::NotPrinted`] of a program, the others of a file; each names
    /// that place and what to do, and nothing of the secret. Read again it may be there: nothing is remembered.
    fn secret(&self, reference: &SecretReference) -> Result<SecretString, SecretError>;
}
