/// Why a text does not say where a database is. Never shows a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocationError {
    /// A URL of another kind of database.
    #[error(
        "databases of the kind `{scheme}` are not supported by this build; give a path, sqlite://PATH or \
         postgres://USER@HOST/DATABASE"
    )]
    Unsupported {
        /// The scheme.
        scheme: String,
    },
    /// Neither a path nor a URL with one.
    #[error("`{given}` is not a file name; give the path of a database")]
    NoFile {
        /// What was given.
        given: String,
    },
    /// A URL of Postgres whose parts cannot be told apart. It is not shown: it may hold a password.
    #[error(
        "the URL of the database cannot be read; write postgres://USER:PASSWORD@HOST:PORT/DATABASE?NAME=VALUE, with \
         @ as %40, / as %2F and ? as %3F inside of a name or password"
    )]
    UnclearUrl,
}
