//! A connection to the configured database, and its role. Another kind of database would be one more variant here and
//! one more file in `dialect`. The module `connection_manager` opens connections.

use std::fmt::Display;

#[cfg(feature = "postgres")]
use diesel::PgConnection;
#[cfg(feature = "sqlite")]
use diesel::SqliteConnection;
use entracte_domain::time::Millis;

use crate::db_error::DbError;

/// A connection to the configured database, one of those that are built in.
#[derive(diesel::MultiConnection)]
pub(crate) enum DbConnection {
    /// SQLite.
    #[cfg(feature = "sqlite")]
    Sqlite(SqliteConnection),
    /// Postgres.
    #[cfg(feature = "postgres")]
    Postgres(PgConnection),
}

/// The role of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionRole {
    /// Reads only.
    Reader,
    /// Writes: the writer thread's connection; for a copy into another database, the copying process.
    Writer,
    /// Holds the ownership lock, and is used for nothing else.
    Owner,
}

/// Time-outs of a connection, from the database options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConnectionTimeouts {
    pub(crate) busy: Millis,
    pub(crate) connect: Millis,
    pub(crate) statement: Millis,
    /// How long a server lets a writer be silent in the middle of a transaction, whose locks others wait for.
    pub(crate) idle: Millis,
}

/// Why no connection was made. Contains the cause; the caller adds the path.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ConnectError(String);

impl ConnectError {
    pub(crate) fn new(cause: impl Display) -> Self {
        Self(cause.to_string())
    }
}

impl From<ConnectError> for DbError {
    fn from(error: ConnectError) -> Self {
        DbError::Failed(error.0)
    }
}

/// Compiles the same expression for each connection type. Diesel's multi-connection type renders the text of a
/// statement at every run, even of a prepared one; this macro avoids that for statements of every commit.
macro_rules! on_either {
    ($conn:ident => $work:expr) => {
        match $conn {
            #[cfg(feature = "sqlite")]
            $crate::connection::DbConnection::Sqlite($conn) => $work,
            #[cfg(feature = "postgres")]
            $crate::connection::DbConnection::Postgres($conn) => $work,
        }
    };
}

/// A match over the kinds of connections, without the arm of a database that is left out of the build.
macro_rules! built_in {
    (match $conn:ident {
        DbConnection::Sqlite($sqlite:pat) => $in_sqlite:expr,
        DbConnection::Postgres($postgres:pat) => $in_postgres:expr $(,)?
    }) => {
        match $conn {
            #[cfg(feature = "sqlite")]
            $crate::connection::DbConnection::Sqlite($sqlite) => $in_sqlite,
            #[cfg(feature = "postgres")]
            $crate::connection::DbConnection::Postgres($postgres) => $in_postgres,
        }
    };
}

pub(crate) use built_in;
pub(crate) use on_either;
