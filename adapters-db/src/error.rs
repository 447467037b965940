//! Why a database cannot be opened, owned or copied, for people: which file, what is wrong with it, and the
//! mend where there is one.

use std::path::PathBuf;

/// Why a database cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A URL of another kind of database.
    #[error("databases of the kind `{scheme}` are not supported by this build; give a path or sqlite://PATH")]
    Unsupported {
        /// The scheme.
        scheme: String,
    },
    /// Neither a path nor a URL with one.
    #[error("`{given}` names no file; give the path of a database")]
    NoFile {
        /// What was given.
        given: String,
    },
    /// A directory is where the file should be.
    #[error("{} is a directory, not a database", path.display())]
    Directory {
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
    #[error("{} cannot be opened", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The database refuses to be opened: it is no database, damaged, locked.
    #[error("{} cannot be opened: {cause}", path.display())]
    Unusable {
        /// The path.
        path: PathBuf,
        /// What the database said.
        cause: String,
    },
    /// The file is a database of another program.
    #[error("{} is a database of another program", path.display())]
    Foreign {
        /// The path.
        path: PathBuf,
    },
    /// A newer Entracte changed its shape.
    #[error(
        "{} was written by a newer Entracte (unknown migration {migration}); nothing was changed, use that version",
        path.display()
    )]
    Newer {
        /// The path.
        path: PathBuf,
        /// The first migration this build does not know.
        migration: String,
    },
    /// Its shape is old and someone works with it, so it cannot be changed now.
    #[error("the database must be migrated first, which cannot be done now")]
    InUse(#[source] OwnershipError),
}

/// Why this process cannot own a database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnershipError {
    /// Another process owns it.
    #[error("{} is owned by {}", path.display(), pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}")))]
    Owned {
        /// The database.
        path: PathBuf,
        /// The owner, when it can be told.
        pid: Option<u32>,
    },
    /// The lock file cannot be made.
    #[error("the lock file {} cannot be used", path.display())]
    Io {
        /// The lock file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

/// Why there is no backup.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// Something is at that path; a backup overwrites nothing.
    #[error("{} is there already; a backup overwrites nothing", path.display())]
    Exists {
        /// The path.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("{} cannot be written", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The database cannot be read, or the copy failed half-way; the half copy was removed.
    #[error("the database cannot be copied: {0}")]
    Failed(String),
}
