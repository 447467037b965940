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
//! The crate stores encoded bytes and the columns it indexes. It never decodes the bytes, reads no clock and makes no
//! decision: it compares versions and reports conflicts.

mod backup;
mod column_numbers;
mod column_words;
mod commit;
mod commit_group;
mod connection;
mod connection_manager;
mod copy;
mod database;
mod database_opening;
mod db_error;
mod dialect;
mod error;
mod file_identity;
mod hash_dictionary;
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

pub use database::{Database, WriterCounts};
pub use dialect::{ReplicaStatus, ReplicationStatus, SequenceLag};
pub use error::{BackupError, DatabaseCopyError, DatabaseOwnershipError, OpenError, SnapshotError};
pub use location::{DatabaseLocation, LocationError, PostgresUrl};
pub use opening_progress::OpeningStep;
pub use options::DatabaseOptions;
pub use ownership::{DatabaseLock, LockHolder};
