//! Errors of one write job or query, and their translation into port errors. Internal to this crate.

use std::fmt::Display;

use diesel::result::{DatabaseErrorKind, Error};
use entracte_application::ports::{CommitError, StoreError, StoreOutage, StoreOutageKind};

use crate::file_identity::REPLACED;

/// Cause of a refused server connection: a pooler shares it between transactions.
pub(crate) const POOLED: &str = "the connection is shared with other clients";

/// Cause of a refused ownership: the server answers a COMMIT before a replica has it.
pub(crate) const UNREPLICATED: &str = "no synchronous replica is connected";

/// Why a job failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DbError {
    /// A row has another version than expected. Undone by its own savepoint.
    #[error("{0}")]
    Conflict(String),
    /// An owner of a later epoch wrote the row. Undone by its own savepoint.
    #[error("{0}")]
    NotOwner(String),
    /// The job itself is invalid: a constraint, a gap, a panic. Undone by its own savepoint.
    #[error("{0}")]
    Refused(String),
    /// A stored row cannot be read: table, key and fault. Undone by its own savepoint.
    #[error("{0}")]
    Damaged(String),
    /// The database failed (full, input/output, busy). Ends the whole transaction.
    #[error("{0}")]
    Failed(String),
}

impl DbError {
    /// Whether the transaction may continue without the failed job.
    pub(crate) fn leaves_transaction_usable(&self) -> bool {
        !matches!(self, DbError::Failed(_))
    }
}

impl From<Error> for DbError {
    fn from(error: Error) -> Self {
        match &error {
            Error::DatabaseError(kind, told) if is_constraint(kind) || is_no_text(told.message()) => {
                DbError::Refused(one_line_message(&error))
            }
            Error::DeserializationError(_) => DbError::Damaged(one_line_message(&error)),
            Error::SerializationError(_) | Error::QueryBuilderError(_) => {
                DbError::Refused(one_line_message(&error))
            }
            _ => DbError::Failed(one_line_message(&error)),
        }
    }
}

/// The database's message on one line.
pub(crate) fn one_line_message(error: &Error) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether Postgres refused a text because it contains NUL. The error code is not available here; this part of the
/// message is not translated.
fn is_no_text(message: &str) -> bool {
    message.contains("UTF8") && message.contains("0x00")
}

impl From<DbError> for StoreError {
    fn from(fault: DbError) -> Self {
        match fault {
            DbError::Conflict(text)
            | DbError::NotOwner(text)
            | DbError::Refused(text)
            | DbError::Damaged(text) => StoreError::Inconsistent(text),
            DbError::Failed(text) => StoreError::Unavailable(classify_outage(text)),
        }
    }
}

impl From<DbError> for CommitError {
    fn from(fault: DbError) -> Self {
        match fault {
            DbError::Conflict(text) => CommitError::Conflict(text),
            DbError::NotOwner(text) => CommitError::NotOwner(text),
            other => CommitError::Store(other.into()),
        }
    }
}

/// Classifies a database message. SQLite's messages are fixed. A server may translate some of its messages: an
/// unrecognized one is passed on unclassified.
pub(crate) fn classify_outage(says: String) -> StoreOutage {
    // A sentence follows; details of a server are on separate lines and may end with a question mark.
    let lines: Vec<&str> = says.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let says = lines.join(": ").trim_end_matches(['.', '?']).to_owned();
    let kind = HINDRANCES.iter().find(|(words, _)| says.contains(words));
    let kind = kind.map_or(StoreOutageKind::Other, |(_, kind)| *kind);
    let kind = if lacks_database(&says) { StoreOutageKind::NoDatabase } else { kind };
    StoreOutage::new(kind, says)
}

/// The outage in a store error.
pub(crate) fn outage_of(error: StoreError) -> StoreOutage {
    match error {
        StoreError::Unavailable(outage) => outage,
        other => StoreOutage::from(other.to_string()),
    }
}

/// Matches “database "notes" does not exist”: messages about a role or a table put other words around the name.
fn lacks_database(says: &str) -> bool {
    let after = says.split_once("database \"").and_then(|(_, name)| name.split_once('"'));
    after.is_some_and(|(_, after)| after.trim_start().starts_with("does not exist"))
}

const HINDRANCES: [(&str, StoreOutageKind); 29] = [
    (POOLED, StoreOutageKind::Pooler),
    ("prepared statement \"__diesel_stmt", StoreOutageKind::Pooler),
    (UNREPLICATED, StoreOutageKind::Unreplicated),
    (REPLACED, StoreOutageKind::Replaced),
    ("during recovery", StoreOutageKind::Standby),
    // Entracte sets its transactions to read and write, so the server itself is read-only.
    ("in a read-only transaction", StoreOutageKind::Standby),
    ("permission denied for table", StoreOutageKind::Grants),
    ("permission denied for schema", StoreOutageKind::Grants),
    ("permission denied for sequence", StoreOutageKind::Grants),
    ("permission denied for database", StoreOutageKind::Grants),
    ("must be owner of", StoreOutageKind::Grants),
    ("database or disk is full", StoreOutageKind::Full),
    ("No space left on device", StoreOutageKind::Full),
    ("Disk quota exceeded", StoreOutageKind::Full),
    ("attempt to write a readonly database", StoreOutageKind::ReadOnly),
    ("Read-only file system", StoreOutageKind::ReadOnly),
    ("ermission denied", StoreOutageKind::ReadOnly),
    ("database is locked", StoreOutageKind::Locked),
    ("due to lock timeout", StoreOutageKind::Locked),
    ("disk I/O error", StoreOutageKind::Disk),
    ("file is not a database", StoreOutageKind::NotADatabase),
    ("database disk image is malformed", StoreOutageKind::Damaged),
    ("SSL support is not compiled in", StoreOutageKind::NoTls),
    ("no password supplied", StoreOutageKind::Password),
    ("password authentication failed", StoreOutageKind::Password),
    ("could not translate host name", StoreOutageKind::Unreachable),
    ("Connection refused", StoreOutageKind::Unreachable),
    ("Is the server running", StoreOutageKind::Unreachable),
    ("timeout expired", StoreOutageKind::Unreachable),
];

fn is_constraint(kind: &DatabaseErrorKind) -> bool {
    matches!(
        kind,
        DatabaseErrorKind::UniqueViolation
            | DatabaseErrorKind::ForeignKeyViolation
            | DatabaseErrorKind::NotNullViolation
            | DatabaseErrorKind::CheckViolation
    )
}

/// Turns a violated unique or foreign key constraint into a conflict about `what`.
pub(crate) fn to_conflict(error: Error, what: impl FnOnce() -> String) -> DbError {
    match error {
        Error::DatabaseError(
            DatabaseErrorKind::UniqueViolation | DatabaseErrorKind::ForeignKeyViolation,
            _,
        ) => DbError::Conflict(what()),
        other => other.into(),
    }
}

/// Formats “session ses_1 (expected 4, found 5)”.
pub(crate) fn mismatch(
    what: &str,
    key: &str,
    expected: impl Display,
    found: Option<impl Display>,
) -> DbError {
    let found = found.map_or_else(|| "none".to_owned(), |found| found.to_string());
    DbError::Conflict(format!("{what} {key} (expected {expected}, found {found})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn database_messages_are_classified_as_outages() {
        let cases = [
            ("entracte.db: database or disk is full", StoreOutageKind::Full),
            ("could not extend file \"base/5/1259\": No space left on device", StoreOutageKind::Full),
            ("entracte.db: attempt to write a readonly database", StoreOutageKind::ReadOnly),
            ("cannot execute INSERT in a read-only transaction", StoreOutageKind::Standby),
            ("cannot set transaction read-write mode during recovery", StoreOutageKind::Standby),
            ("permission denied for table workspaces", StoreOutageKind::Grants),
            ("must be owner of table sessions", StoreOutageKind::Grants),
            ("/d/e.db: Permission denied", StoreOutageKind::ReadOnly),
            ("prepared statement \"__diesel_stmt_1\" already exists", StoreOutageKind::Pooler),
            ("/d/e.db is not the file that was opened", StoreOutageKind::Replaced),
            ("entracte.db: database is locked", StoreOutageKind::Locked),
            ("canceling statement due to lock timeout", StoreOutageKind::Locked),
            ("disk I/O error", StoreOutageKind::Disk),
            ("entracte.db: file is not a database", StoreOutageKind::NotADatabase),
            ("entracte.db: database disk image is malformed", StoreOutageKind::Damaged),
            (
                "connection to server at \"db\", port 1 failed: Connection refused",
                StoreOutageKind::Unreachable,
            ),
            ("FATAL: password authentication failed for user \"ann\"", StoreOutageKind::Password),
            ("sslmode value \"require\" invalid when SSL support is not compiled in", StoreOutageKind::NoTls),
            ("FATAL: database \"notes\" does not exist", StoreOutageKind::NoDatabase),
            ("FATAL: role \"database\" does not exist", StoreOutageKind::Other),
            ("the connection was closed", StoreOutageKind::Other),
        ];
        for (says, kind) in cases {
            assert_eq!(classify_outage(says.to_owned()), StoreOutage::new(kind, says));
        }
    }
}
