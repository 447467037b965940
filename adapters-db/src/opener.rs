//! How a connection is opened: by the writer, by the pool of readers, by an owner.
//!
//! The derived `establish` is never used: it tries one variant after the other and hides why the first failed.

use diesel::r2d2::{ManageConnection, R2D2Connection};

use crate::connection::{ConnectError, DbConnection, Role, Timeouts};
use crate::dialect::{self, postgres, sqlite};
use crate::location::Location;
use crate::options::DatabaseOptions;

/// Opens connections for one role.
#[derive(Clone, Debug)]
pub(crate) struct Opener {
    pub(crate) location: Location,
    pub(crate) role: Role,
    pub(crate) timeouts: Timeouts,
    /// What a file may grow to, in bytes; 0 means no limit.
    pub(crate) max_bytes: u64,
}

impl Opener {
    /// Opens connections to a database for `role`.
    pub(crate) fn new(location: Location, role: Role, options: &DatabaseOptions) -> Self {
        Self { location, role, timeouts: options.timeouts(), max_bytes: options.max_bytes }
    }
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
