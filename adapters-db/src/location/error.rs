use entracte_application::texts::{LocalizedMessage, saying};

/// Why a text is not a database location. Never contains a password.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LocationError {
    /// A URL of an unsupported kind of database.
    Unsupported {
        /// Scheme of the URL.
        scheme: String,
    },
    /// A database that the features of this build leave out.
    NotBuiltIn {
        /// Name of the database.
        database: &'static str,
        /// The feature of the crate that builds it in.
        feature: &'static str,
    },
    /// Neither a path nor a URL with one.
    NoFile {
        /// The text that was given.
        given: String,
    },
    /// A malformed Postgres URL. It is not shown, because it may contain a password.
    UnclearUrl,
    /// A parameter of a Postgres URL names a file, for example a certificate, by a relative path. It would be resolved
    /// in the working directory, which another person may control.
    RelativeFile {
        /// Name of the parameter.
        name: String,
        /// The path that was given.
        given: String,
        /// The absolute path, resolved in the current working directory.
        whole: String,
    },
}

impl LocationError {
    /// The fault and how to fix it.
    pub fn saying(&self) -> LocalizedMessage {
        match self {
            Self::Unsupported { scheme } => saying!("database-unsupported", scheme = scheme),
            Self::NotBuiltIn { database, feature } => {
                saying!("database-not-built-in", database = *database, feature = *feature)
            }
            Self::NoFile { given } => saying!("database-no-file", given = given),
            Self::UnclearUrl => saying!("database-unclear-url"),
            Self::RelativeFile { name, given, whole } => {
                saying!("database-relative-file", name = name, given = given, whole = whole)
            }
        }
    }
}
