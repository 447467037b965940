//! The database of Entracte: the ports [`WorkspaceStore`](entracte_application::ports::WorkspaceStore), `LogReader`,
//! `ResourceReader` and `MailStore` with Diesel, on SQLite and on Postgres. Another kind of database would be one more
//! variant in `connection`, one more file in `dialect` and one more folder of migrations, without a change to the
//! stores.
//!
//! A new table needs a migration in each folder of `migrations`, its columns in `schema`, its queries, and its line in
//! `copy/tables`, which a test of the schema checks.
//!
//! [`Database::open`] returns a [`Database`], which provides the ports. One thread writes everything and puts
//! simultaneously waiting jobs into one transaction (`writer`); reads use a small pool.
//!
//! SQLite and Postgres are the features `sqlite` and `postgres`, each with its C library; both are on by default. The
//! location of a database that is left out parses, and is refused when it is opened ([`LocationError::NotBuiltIn`]).
//!
//! The crate stores encoded bytes and the columns it indexes. It never decodes the bytes, reads no clock and makes no
//! decision: it compares versions and reports conflicts.
//!
//! # Modules, from the bottom
//!
//! Each imports from and calls only those above it: `layers_hold_in_every_crate` reads this table, and a new module gets its
//! row here.
//!
//! | module | what it is |
//! |---|---|
//! | `schema` | The tables for Diesel, the same for every dialect. |
//! | `opening_progress` | Progress reports for opening a database that takes a while. |
//! | `file_identity` | Identity of a database file, independent of its name. |
//! | `private_file` | Files that only their owner may read, because a database contains people's conversations. |
//! | `prepared_statements` | Statements that a connection prepares once. |
//! | `location` | Locations of databases: parses what people write, and opens nothing. |
//! | `db_error` | Errors of one write job or query, and their translation into port errors. |
//! | `column_numbers` | Conversion between Entracte's unsigned numbers and the signed 64-bit columns. |
//! | `column_words` | Parses the words in columns. |
//! | `error` | Errors of opening, owning and copying databases, as kinds with values; their wording, with the fix if there is one, is in the text catalogue. |
//! | `connection` | A connection to the configured database, and its role. |
//! | `options` | Options of a database. |
//! | `dialect` | The differences between the databases. |
//! | `connection_manager` | Opens connections, for the writer, the pool of readers, and the owner. |
//! | `migrations` | Migrations of the schema, one folder per kind of database. |
//! | `queries` | All queries: one file per table, one small function per query, the same for every dialect. |
//! | `hash_dictionary` | The dictionary of hashes that recur in row bodies (of rules, of command versions): each is stored once, and bodies contain its number. |
//! | `commit_group` | Groups of commits of working sessions, which Postgres writes in one statement (adr 71). |
//! | `ownership` | The lock of a database, which one process holds at a time, and its epoch (adr 76). |
//! | `writer` | The single thread that writes: jobs that wait at the same time share one transaction (adr 72). |
//! | `commit` | An application commit as a write job: the order of its statements, and the checks that the tables cannot express. |
//! | `cost_count` | Adds up costs from the logs: of sessions stored before costs were kept, and of all on request. |
//! | `inbox_listing` | Lists what waits in sessions that were stored before such lists were kept. |
//! | `database_opening` | Opening of a database: creates it if it does not exist, refuses databases of other programs, and applies missing migrations. |
//! | `database` | A database: its connections, its owner, and operations on the whole of it. |
//! | `copy` | Copies a whole database into an empty one, of either kind. |
//! | `backup` | Backups: a copy in a new SQLite file, from SQLite or Postgres. |
//! | `stores` | The ports of a database, one file each, named after the port. |
//! | `snapshot` | Read-only access to a database: it is neither created, migrated nor owned. |

// Embedders need to know what each failure means, and whether to retry.
#![warn(clippy::missing_errors_doc)]
// A build with one database leaves the items of the other one unused. The build with both databases reports items that
// are unused in every build.
#![cfg_attr(
    not(all(feature = "postgres", feature = "sqlite")),
    allow(
        dead_code,
        irrefutable_let_patterns,
        unreachable_patterns,
        unused_imports,
        unused_mut,
        unused_variables,
        reason = "a database is left out"
    )
)]

#[cfg(not(any(feature = "postgres", feature = "sqlite")))]
compile_error!("no database is built in: choose the feature `sqlite`, `postgres`, or both");

mod backup;
mod column_numbers;
mod column_words;
mod commit;
mod commit_group;
mod connection;
mod connection_manager;
mod copy;
mod cost_count;
mod database;
mod database_opening;
mod db_error;
mod dialect;
mod error;
mod file_identity;
mod hash_dictionary;
mod inbox_listing;
mod location;
mod migrations;
mod opening_progress;
mod options;
mod ownership;
mod prepared_statements;
mod private_file;
mod queries;
mod schema;
mod snapshot;
mod stores;
#[cfg(test)]
mod tests;
mod writer;

pub use cost_count::CostCountResult;
pub use database::{Database, DatabaseCheckResult, WriterCounts};
pub use dialect::{ReplicaStatus, ReplicationStatus, SequenceLag};
pub use error::{BackupError, DatabaseCopyError, DatabaseOwnershipError, OpenError, SnapshotError};
pub use location::{DatabaseLocation, LocationError, MemoryDatabase, PostgresUrl};
pub use opening_progress::OpeningStep;
pub use options::DatabaseOptions;
pub use ownership::{DatabaseLock, LockHolder};
