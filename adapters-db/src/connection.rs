//! A connection to whichever database was chosen, and how one is opened: by the writer, and by the pool of
//! readers. A second database is a second variant here and a second file in `dialect`.
//!
//! The derived `establish` is never used: it tries one variant after the other and hides why the first failed.

use std::fmt::Display;

use diesel::SqliteConnection;
use diesel::r2d2::{ManageConnection, R2D2Connection};
use entracte_domain::time::Millis;

use crate::dialect::sqlite;
use crate::fault::Fault;
use crate::location::Location;

/// A connection to the chosen database.
#[derive(diesel::MultiConnection)]
pub(crate) enum DbConnection {
    /// SQLite.
    Sqlite(SqliteConnection),
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Reads only.
    Reader,
    /// The one that writes.
    Writer,
}

/// Why there is no connection. Says the cause; who asked adds the path.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ConnectError(String);

impl ConnectError {
    pub(crate) fn new(cause: impl Display) -> Self {
        Self(cause.to_string())
    }
}

impl From<ConnectError> for Fault {
    fn from(error: ConnectError) -> Self {
        Fault::Failed(error.0)
    }
}

/// Opens connections for one role.
#[derive(Clone, Debug)]
pub(crate) struct Opener {
    pub(crate) location: Location,
    pub(crate) role: Role,
    pub(crate) busy_timeout: Millis,
}

impl ManageConnection for Opener {
    type Connection = DbConnection;
    type Error = ConnectError;

    fn connect(&self) -> Result<DbConnection, ConnectError> {
        match &self.location {
            Location::Sqlite(path) => {
                sqlite::connect(path, self.role, self.busy_timeout).map(DbConnection::Sqlite)
            }
        }
    }

    fn is_valid(&self, conn: &mut DbConnection) -> Result<(), ConnectError> {
        conn.ping().map_err(ConnectError::new)
    }

    fn has_broken(&self, conn: &mut DbConnection) -> bool {
        std::thread::panicking() || conn.is_broken()
    }
}
