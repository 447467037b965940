//! The measured database: its location and its size.

use std::path::PathBuf;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

use super::options::BenchDatabaseKind;
use crate::postgres::{self, TestDatabase};

/// An empty database; deleted when this value is dropped.
#[derive(Debug)]
pub enum BenchDatabase {
    /// An SQLite file in a folder of its own.
    File(tempfile::TempDir),
    /// A database on the Postgres server for tests.
    Server(TestDatabase),
}

impl BenchDatabase {
    /// Creates a database; `None` if no server is configured.
    pub fn make(kind: BenchDatabaseKind) -> Option<Self> {
        match kind {
            BenchDatabaseKind::Sqlite => Some(Self::File(tempfile::tempdir().expect("a temporary folder"))),
            BenchDatabaseKind::Postgres => TestDatabase::make().map(Self::Server),
        }
    }

    /// Its path or URL.
    pub fn location(&self) -> String {
        match self {
            Self::File(_) => self.file().to_string_lossy().into_owned(),
            Self::Server(database) => database.url(),
        }
    }

    fn file(&self) -> PathBuf {
        match self {
            Self::File(folder) => folder.path().join("entracte.db"),
            Self::Server(_) => PathBuf::new(),
        }
    }

    /// Its size in bytes, after the journal of the file was written back.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::File(_) => {
                let path = self.file();
                let mut conn = SqliteConnection::establish(&path.to_string_lossy()).expect("the file opens");
                conn.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    .expect("the journal is put into the file");
                std::fs::metadata(path).expect("the file is there").len()
            }
            Self::Server(database) => {
                #[derive(QueryableByName)]
                struct DatabaseSizeRow {
                    #[diesel(sql_type = BigInt)]
                    size: i64,
                }
                let mut conn = PgConnection::establish(&database.url()).expect("the server answers");
                let size: DatabaseSizeRow =
                    diesel::sql_query("SELECT pg_database_size(current_database()) AS size")
                        .get_result(&mut conn)
                        .expect("the database has a size");
                size.size.unsigned_abs()
            }
        }
    }

    /// The size in bytes of a new database with the same rows; `None` on a server, which keeps the space for later rows.
    pub fn bytes_of_new_copy(&self) -> Option<u64> {
        match self {
            Self::File(folder) => {
                let mut conn =
                    SqliteConnection::establish(&self.file().to_string_lossy()).expect("the file opens");
                let copy = folder.path().join("copy.db");
                diesel::sql_query("VACUUM INTO ?")
                    .bind::<Text, _>(copy.to_string_lossy())
                    .execute(&mut conn)
                    .expect("there is room for a copy");
                let size = std::fs::metadata(&copy).expect("the copy is there").len();
                std::fs::remove_file(copy).expect("the copy can go");
                Some(size)
            }
            Self::Server(_) => None,
        }
    }

    /// Whether commits are synced to the disk.
    pub fn is_synced(&self) -> bool {
        match self {
            Self::File(_) => true,
            Self::Server(database) => {
                #[derive(QueryableByName)]
                struct ServerSettingRow {
                    #[diesel(sql_type = Text)]
                    value: String,
                }
                let mut conn = PgConnection::establish(&database.url()).expect("the server answers");
                let fsync: ServerSettingRow = diesel::sql_query("SELECT current_setting('fsync') AS value")
                    .get_result(&mut conn)
                    .expect("the server has settings");
                fsync.value == "on"
            }
        }
    }
}

/// Whether a Postgres server to measure on is configured.
pub fn has_server() -> bool {
    std::env::vars_os().any(|(name, value)| name == postgres::SERVER && !value.is_empty())
}
