//! A connection to whichever database was chosen, and how one is opened: by the writer, by the pool of readers, by
//! an owner. Another database is one more variant here and one more file in `dialect`.
//!
//! The derived `establish` is never used: it tries one variant after the other and hides why the first failed.

use std::fmt::Display;

use diesel::r2d2::{ManageConnection, R2D2Connection};
use diesel::{PgConnection, SqliteConnection};
use entracte_domain::time::Millis;

use crate::db_error::DbError;
use crate::dialect::{self, postgres, sqlite};
use crate::location::Location;

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
pub(crate) enum Role {
    /// Reads only.
    Reader,
    /// Writes: the one writer; for a copy into another database, the process that makes it.
    Writer,
    /// Holds the right to handle the database's events, and does nothing else.
    Owner,
}

/// How long to wait, from the options of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timeouts {
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

/// Opens connections for one role.
#[derive(Clone, Debug)]
pub(crate) struct Opener {
    pub(crate) location: Location,
    pub(crate) role: Role,
    pub(crate) timeouts: Timeouts,
    /// What a file may grow to, in bytes; 0 means no limit.
    pub(crate) max_bytes: u64,
}

impl ManageConnection for Opener {
    type Connection = DbConnection;
    type Error = ConnectError;

    fn connect(&self) -> Result<DbConnection, ConnectError> {
        match &self.location {
            Location::Sqlite(path) => {
                sqlite::connect(path, self.role, self.timeouts.busy, self.max_bytes).map(DbConnection::Sqlite)
            }
            Location::Postgres(url) => {
                postgres::connect(url, self.role, self.timeouts).map(DbConnection::Postgres)
            }
        }
    }

    /// Asked whenever a connection is taken from the pool, so it asks the database nothing.
    fn is_valid(&self, conn: &mut DbConnection) -> Result<(), ConnectError> {
        match dialect::is_closed(conn) {
            true => Err(ConnectError::new("the server closed the connection")),
            false => Ok(()),
        }
    }

    fn has_broken(&self, conn: &mut DbConnection) -> bool {
        std::thread::panicking() || conn.is_broken()
    }
}
