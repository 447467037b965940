//! A connection to whichever database was chosen, and what it is for. Another database is one more variant here and
//! one more file in `dialect`. How one is opened is in `opener`.

use std::fmt::Display;

use diesel::{PgConnection, SqliteConnection};
use entracte_domain::time::Millis;

use crate::db_error::DbError;

/// A connection to the chosen database.
#[derive(diesel::MultiConnection)]
pub(crate) enum DbConnection {
    /// SQLite.
    Sqlite(SqliteConnection),
    /// Postgres.
    Postgres(PgConnection),
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionRole {
    /// Reads only.
    Reader,
    /// Writes: the one writer; for a copy into another database, the process that makes it.
    Writer,
    /// Holds the right to handle the database's events, and does nothing else.
    Owner,
}

/// How long to wait, from the options of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConnectionTimeouts {
    pub(crate) busy: Millis,
    pub(crate) connect: Millis,
    pub(crate) statement: Millis,
}

/// Why no connection was made. Says the cause; the caller adds the path.
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

/// The same statement for whichever connection it is, written once and compiled for each. A connection that stands for both
/// writes the text of a statement at every run, also of one that is prepared: this is for what every commit runs.
macro_rules! on_either {
    ($conn:ident => $work:expr) => {
        match $conn {
            $crate::connection::DbConnection::Sqlite($conn) => $work,
            $crate::connection::DbConnection::Postgres($conn) => $work,
        }
    };
}

pub(crate) use on_either;
