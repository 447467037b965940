//! The database of Entracte: the ports [`Store`](entracte_application::ports::Store), `LogReader`,
//! `ResourceReader` and `MailStore` through Diesel, on SQLite and on Postgres. Another database would be one more variant
//! in `connection`, one more file in `dialect` and one more folder of migrations, and no store changes.
//!
//! A table is added by a migration in each folder of `migrations`, its columns in `schema`, its queries, and its line
//! in `copy/tables`, which also a test of the schema demands.
//!
//! [`Database::open`] gives a [`Database`], and that gives the ports. Everything is written by one thread, which
//! puts what waits at the same time into one transaction (`writer`), and read through a small pool.
//!
//! It keeps encoded bytes and the columns that it indexes; it never looks into the bytes, never reads a clock,
//! and never decides anything: versions are compared, and a conflict is reported.

mod backup;
mod column_numbers;
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
pub use error::{BackupError, DatabaseOwnershipError, OpenError, DatabaseCopyError, SnapshotError};
pub use location::{DatabaseLocation, LocationError, PostgresUrl};
pub use opening_progress::OpeningStep;
pub use options::DatabaseOptions;
pub use ownership::{DatabaseLock, LockHolder};
