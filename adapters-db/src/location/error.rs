use entracte_application::texts::{LocalizedMessage, saying};

/// Why a text does not say where a database is. Never shows a password.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LocationError {
    /// A URL of another kind of database.
    Unsupported {
        /// The scheme.
        scheme: String,
    },
    /// Neither a path nor a URL with one.
    NoFile {
        /// What was given.
        given: String,
    },
    /// A URL of Postgres whose parts cannot be told apart. It is not shown: it may hold a password.
    UnclearUrl,
    /// A parameter of a URL of Postgres names a file, such as that of a certificate, and not by its whole path: it would be
    /// looked for where the process stands, in a folder that somebody else may have filled.
    RelativeFile {
        /// The parameter.
        name: String,
        /// Its path.
        given: String,
        /// What it would be from where this process stands.
        whole: String,
    },
}

impl LocationError {
    /// What is wrong, and how to fix it.
    pub fn saying(&self) -> LocalizedMessage {
        match self {
            Self::Unsupported { scheme } => saying!("database-unsupported", scheme = scheme),
            Self::NoFile { given } => saying!("database-no-file", given = given),
            Self::UnclearUrl => saying!("database-unclear-url"),
            Self::RelativeFile { name, given, whole } => {
                saying!("database-relative-file", name = name, given = given, whole = whole)
            }
        }
    }
}
