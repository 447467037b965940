//! How a connection is opened: by the writer, by the pool of readers, by an owner.
//!
//! The derived `establish` is never used: it tries one variant after the other and hides why the first failed.

use std::sync::{Mutex, PoisonError};

use diesel::r2d2::{ManageConnection, R2D2Connection};
use entracte_domain::time::Millis;

use crate::connection::{ConnectError, ConnectionRole, ConnectionTimeouts, DbConnection};
use crate::dialect::{self, postgres, sqlite};
use crate::file_identity::DatabaseFile;
use crate::location::DatabaseLocation;
use crate::options::DatabaseOptions;

/// Opens connections for one role.
#[derive(Clone, Debug)]
pub(crate) struct DbConnectionManager {
    pub(crate) location: DatabaseLocation,
    pub(crate) role: ConnectionRole,
    pub(crate) timeouts: ConnectionTimeouts,
    /// What a file may grow to, in bytes; 0 means no limit.
    pub(crate) max_bytes: u64,
    /// Whether a server is owned only while each COMMIT waits for a replica too.
    pub(crate) require_sync: bool,
    /// How long an owner may still send after it saw its right last.
    pub(crate) lease: Millis,
    /// The file that was opened; `None` before that, and of a server.
    pub(crate) file: Option<DatabaseFile>,
}

impl DbConnectionManager {
    /// Opens connections to a database for `role`.
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

    /// Refuses to go on when the file that was opened was removed, or another one has its name.
    pub(crate) fn check_file(&self) -> Result<(), ConnectError> {
        self.file.as_ref().map_or(Ok(()), DatabaseFile::check).map_err(ConnectError::new)
    }

    /// Refuses a pooler that gives connections away between transactions. What opens a connection that writes or owns does so
    /// by itself.
    pub(crate) fn refuse_pooler(&self) -> Result<(), ConnectError> {
        match &self.location {
            DatabaseLocation::Sqlite(_) => Ok(()),
            DatabaseLocation::Postgres(url) => postgres::connect_unpooled(url, self.timeouts).map(drop),
        }
    }
}

impl ManageConnection for DbConnectionManager {
    type Connection = DbConnection;
    type Error = ConnectError;

    fn connect(&self) -> Result<DbConnection, ConnectError> {
        match &self.location {
            DatabaseLocation::Sqlite(path) => {
                let conn = sqlite::connect(path, self.role, self.timeouts.busy, self.max_bytes)?;
                self.check_file()?;
                Ok(DbConnection::Sqlite(conn))
            }
            DatabaseLocation::Postgres(url) => {
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

/// Opens connections for the pool of readers, of which the first may be there already.
pub(crate) struct ReaderConnectionManager {
    opener: DbConnectionManager,
    ready: Mutex<Option<DbConnection>>,
}

impl ReaderConnectionManager {
    /// Opens readers after this one.
    pub(crate) fn new(opener: DbConnectionManager, ready: Option<DbConnection>) -> Self {
        Self { opener, ready: Mutex::new(ready) }
    }

    /// Where the database is.
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

    /// How many pages a connection keeps, which is set for each alone.
    fn pages(conn: &mut DbConnection) -> i64 {
        let DbConnection::Sqlite(conn) = conn else { panic!("it is a file") };
        sql_query("PRAGMA cache_size").get_result::<CacheSizeRow>(conn).unwrap().cache_size
    }

    #[test]
    fn the_reader_that_is_there_already_is_given_once() {
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
