//! Opens connections, for the writer, the pool of readers, and the owner.
//!
//! The derived `establish` is never used: it tries one variant after the other and hides why the first failed.

use std::sync::{Mutex, PoisonError};

use diesel::r2d2::{ManageConnection, R2D2Connection};
use entracte_domain::time::Millis;

use crate::connection::{ConnectError, ConnectionRole, ConnectionTimeouts, DbConnection};
use crate::dialect;
#[cfg(feature = "postgres")]
use crate::dialect::postgres;
#[cfg(feature = "sqlite")]
use crate::dialect::sqlite;
use crate::file_identity::DatabaseFile;
use crate::location::DatabaseLocation;
use crate::options::DatabaseOptions;

/// Opens connections for one role.
#[derive(Clone, Debug)]
pub(crate) struct DbConnectionManager {
    pub(crate) location: DatabaseLocation,
    pub(crate) role: ConnectionRole,
    pub(crate) timeouts: ConnectionTimeouts,
    /// Maximum size of a SQLite database, in bytes; 0 means no limit.
    pub(crate) max_bytes: u64,
    /// True if a server may be owned only while each COMMIT waits for a replica.
    pub(crate) require_sync: bool,
    /// How long an owner may still send after it last verified its lock.
    pub(crate) lease: Millis,
    /// The opened file; `None` before it is opened, in memory, and for a server.
    pub(crate) file: Option<DatabaseFile>,
}

impl DbConnectionManager {
    /// Creates a manager that opens connections for `role`.
    pub(crate) fn new(location: DatabaseLocation, role: ConnectionRole, options: &DatabaseOptions) -> Self {
        Self {
            location,
            role,
            timeouts: options.timeouts(),
            max_bytes: options.max_bytes,
            require_sync: options.require_sync,
            lease: options.lease,
            file: None,
        }
    }

    /// Fails if the opened file was removed or replaced.
    pub(crate) fn check_file(&self) -> Result<(), ConnectError> {
        self.file.as_ref().map_or(Ok(()), DatabaseFile::check).map_err(ConnectError::new)
    }
}

impl ManageConnection for DbConnectionManager {
    type Connection = DbConnection;
    type Error = ConnectError;

    fn connect(&self) -> Result<DbConnection, ConnectError> {
        match &self.location {
            #[cfg(feature = "sqlite")]
            DatabaseLocation::Sqlite(path) => {
                let conn = sqlite::connect(path, self.role, self.timeouts.busy, self.max_bytes)?;
                self.check_file()?;
                Ok(DbConnection::Sqlite(conn))
            }
            #[cfg(feature = "sqlite")]
            DatabaseLocation::Memory(memory) => {
                let (name, busy) = (memory.name(), self.timeouts.busy);
                sqlite::connect_in_memory(&name, self.role, busy, self.max_bytes).map(DbConnection::Sqlite)
            }
            #[cfg(feature = "postgres")]
            DatabaseLocation::Postgres(url) => {
                postgres::connect(url, self.role, self.timeouts).map(DbConnection::Postgres)
            }
            #[cfg(not(all(feature = "postgres", feature = "sqlite")))]
            left_out => Err(ConnectError::new(left_out.not_built_in())),
        }
    }

    /// Runs whenever a connection is taken from the pool, so it makes no request to the database.
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

/// Opens connections for the pool of readers; the first one may be supplied.
pub(crate) struct ReaderConnectionManager {
    opener: DbConnectionManager,
    ready: Mutex<Option<DbConnection>>,
}

impl ReaderConnectionManager {
    /// Creates the manager with an already opened reader, if any.
    pub(crate) fn new(opener: DbConnectionManager, ready: Option<DbConnection>) -> Self {
        Self { opener, ready: Mutex::new(ready) }
    }

    /// Location of the database.
    pub(crate) fn location(&self) -> &DatabaseLocation {
        &self.opener.location
    }
}

impl ManageConnection for ReaderConnectionManager {
    type Connection = DbConnection;
    type Error = ConnectError;

    fn connect(&self) -> Result<DbConnection, ConnectError> {
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        ready.map_or_else(|| self.opener.connect(), Ok)
    }

    fn is_valid(&self, conn: &mut DbConnection) -> Result<(), ConnectError> {
        self.opener.is_valid(conn)
    }

    fn has_broken(&self, conn: &mut DbConnection) -> bool {
        self.opener.has_broken(conn)
    }
}

#[cfg(test)]
mod tests {
    use diesel::connection::SimpleConnection;
    use diesel::prelude::*;
    use diesel::sql_query;
    use diesel::sql_types::BigInt;

    use super::*;
    use crate::Database;

    #[derive(QueryableByName)]
    struct CacheSizeRow {
        #[diesel(sql_type = BigInt)]
        cache_size: i64,
    }

    /// Cache size of a connection in pages, which is set per connection.
    fn pages(conn: &mut DbConnection) -> i64 {
        let DbConnection::Sqlite(conn) = conn else { panic!("it is a file") };
        sql_query("PRAGMA cache_size").get_result::<CacheSizeRow>(conn).unwrap().cache_size
    }

    #[test]
    fn existing_reader_is_handed_out_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("entracte.db");
        let options = DatabaseOptions::default();
        drop(Database::open(&file.to_string_lossy(), options.clone()).unwrap());
        let opener =
            DbConnectionManager::new(DatabaseLocation::Sqlite(file), ConnectionRole::Reader, &options);
        let mut ready = opener.connect().unwrap();
        ready.batch_execute("PRAGMA cache_size = 123").unwrap();

        let readers = ReaderConnectionManager::new(opener, Some(ready));
        let given: Vec<bool> = (0..3).map(|_| pages(&mut readers.connect().unwrap()) == 123).collect();
        assert_eq!(given, [true, false, false]);
    }
}
