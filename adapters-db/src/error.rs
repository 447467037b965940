//! Why a database cannot be opened, owned or copied, for people: which one, what is wrong with it, and how to fix it
//! where there is one. No text here ever holds a password.

use std::path::PathBuf;

use crate::db_error::outage;
use crate::location::{Location, LocationError};

/// Why a database cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The place cannot be read.
    #[error(transparent)]
    Location(#[from] LocationError),
    /// A directory is where the file should be.
    #[error("{} is a directory, not a database", path.display())]
    Directory {
        /// The path.
        path: PathBuf,
    },
    /// The file is there, and nothing is in it: it was a database, and was emptied.
    #[error(
        "the database {} is empty (0 bytes); restore a backup, or remove it to begin a new one",
        path.display()
    )]
    Empty {
        /// The path.
        path: PathBuf,
    },
    /// The file may not be written.
    #[error("{} is read-only; make it writable: chmod u+w", path.display())]
    ReadOnly {
        /// The path.
        path: PathBuf,
    },
    /// The file or its directory cannot be made or read.
    #[error("{} cannot be opened: {}", path.display(), hindrance(source))]
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The database refuses to be opened: it is not a database, or is damaged, locked, not reached.
    #[error("{location} cannot be opened: {cause}")]
    Unusable {
        /// Where it is.
        location: Location,
        /// What the database said.
        cause: String,
    },
    /// It is a database of another program.
    #[error("{location} is a database of another program{}", apart(location))]
    Foreign {
        /// Where it is.
        location: Location,
    },
    /// There is no schema to make tables in.
    #[error(
        "{location} has no schema to work in: the search path names no existing schema; create one with CREATE SCHEMA"
    )]
    NoSchema {
        /// Where it is.
        location: Location,
    },
    /// A newer Entracte changed its shape.
    #[error(
        "{location} was written by a newer Entracte (unknown migration {migration}); nothing was changed, use that \
         version"
    )]
    Newer {
        /// Where it is.
        location: Location,
        /// The first migration this build does not know.
        migration: String,
    },
    /// Its shape is old and someone works with it, so it cannot be changed now.
    #[error(
        "the database must be migrated first, which is not possible now; migrate it when nobody works with it"
    )]
    InUse(#[source] OwnershipError),
}

fn apart(location: &Location) -> &'static str {
    match location {
        Location::Sqlite(_) => "",
        Location::Postgres(_) => {
            "; give Entracte a database of its own, or a schema: ?options=-csearch_path%3DSCHEMA"
        }
    }
}

/// Why this process cannot own a database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnershipError {
    /// Another process owns it.
    #[error("{location} is owned by {}", owner(*pid, host.as_deref()))]
    Owned {
        /// The database.
        location: Location,
        /// The owner, when it can be told.
        pid: Option<u32>,
        /// The machine it runs on, when it is perhaps another one.
        host: Option<String>,
    },
    /// The lock file cannot be made.
    #[error("the lock file {} cannot be used: {}", path.display(), outage(source.to_string()))]
    Io {
        /// The lock file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The server cannot be asked.
    #[error("the owner of {location} cannot be read: {cause}")]
    Unusable {
        /// The database.
        location: Location,
        /// What the server said.
        cause: String,
    },
}

/// Who owns a database, as far as it is known.
pub(crate) fn owner(pid: Option<u32>, host: Option<&str>) -> String {
    let process = pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
    host.map_or_else(|| process.clone(), |host| format!("{process} at {host}"))
}

/// Why no backup was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// Something is at that path; a backup overwrites nothing.
    #[error("{} already exists, and a backup does not overwrite it; choose another path", path.display())]
    Exists {
        /// The path.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("{} cannot be written: {}", path.display(), hindrance(source))]
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The database cannot be read, or the copy failed half-way; the half copy was removed.
    #[error("the database cannot be copied: {0}")]
    Failed(String),
}

/// Why no copy was made of a database that is only looked at. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// It is no database of ours, or of another version, or cannot be reached.
    #[error(transparent)]
    Open(Box<OpenError>),
    /// The copy cannot be written.
    #[error(transparent)]
    Copy(#[from] BackupError),
    /// A server's database in the shape of an older version: to copy it, it would have to be upgraded.
    #[error("{location} has the shape of an older version, and is not upgraded by a look; upgrade it first")]
    Old {
        /// The database.
        location: Location,
    },
}

/// Why a database was not copied into another one. Then nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// Source and target are the same.
    #[error("{location} cannot be copied into itself")]
    Same {
        /// The database.
        location: Location,
    },
    /// The target holds something.
    #[error(
        "{location} is not empty (the table {table} has rows), and a copy does not overwrite it; use an empty database"
    )]
    NotEmpty {
        /// The target.
        location: Location,
        /// The first table with rows.
        table: &'static str,
    },
    /// Someone works with the target.
    #[error("the target must not be in use")]
    InUse(#[source] OwnershipError),
    /// What was written is not what was read.
    #[error("the copy differs from its source in the table {table}")]
    Differs {
        /// The table.
        table: &'static str,
    },
    /// One of the two cannot be used.
    #[error("{location} cannot be used: {cause}")]
    Failed {
        /// Which one.
        location: Location,
        /// What it said.
        cause: String,
    },
}

/// What hinders the work with a file. One that may not even be opened is not one that is read and not written.
fn hindrance(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied => {
            format!("{error}; make its file and folder readable and writable for your user")
        }
        _ => outage(error.to_string()).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_may_not_be_entered_is_not_called_readable() {
        let source = std::io::ErrorKind::PermissionDenied.into();
        let told = OpenError::Io { path: "/secret/entracte.db".into(), source }.to_string();
        assert!(told.starts_with("/secret/entracte.db cannot be opened: permission denied; make"), "{told}");
        assert!(!told.contains("can be read but not written"), "{told}");
    }
}
