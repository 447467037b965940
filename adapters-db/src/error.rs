//! Errors of opening, owning and copying databases, as kinds with values; their wording, with the fix if there is one,
//! is in the text catalogue. No error text contains a password.

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use entracte_application::ports::{StoreOutage, StoreOutageKind};
use entracte_application::texts::{LocalizedMessage, saying};

use crate::db_error::classify_outage;
use crate::location::{DatabaseLocation, LocationError};

/// Why a database cannot be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The location cannot be parsed.
    Location(LocationError),
    /// A directory exists where the file should be.
    Directory {
        /// Path of the directory.
        path: PathBuf,
    },
    /// The file exists but is empty: its database was truncated.
    Empty {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file has several hard links: a process that uses another link would not find its lock file.
    Linked {
        /// Path of the file.
        path: PathBuf,
        /// Number of hard links.
        names: u64,
    },
    /// The file is not writable.
    ReadOnly {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file or its directory cannot be created or read.
    Io {
        /// Path of the file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The database cannot be opened: not a database, damaged, locked or unreachable.
    Unusable {
        /// Location of the database.
        location: DatabaseLocation,
        /// Cause of the failure.
        cause: StoreOutage,
    },
    /// The database belongs to another program.
    Foreign {
        /// Location of the database.
        location: DatabaseLocation,
    },
    /// The search path names no existing schema.
    NoSchema {
        /// Location of the database.
        location: DatabaseLocation,
    },
    /// A newer version of Entracte migrated it.
    Newer {
        /// Location of the database.
        location: DatabaseLocation,
        /// The first migration that this build does not know.
        migration: String,
    },
    /// The schema is old, and another process uses the database, so it cannot be migrated now.
    InUse(DatabaseOwnershipError),
}

impl OpenError {
    /// The fault and how to fix it.
    pub fn saying(&self) -> LocalizedMessage {
        match self {
            Self::Location(error) => error.saying(),
            Self::Directory { path } => saying!("database-directory", path = shown(path)),
            Self::Empty { path } => saying!("database-empty", path = shown(path)),
            Self::Linked { path, names } => saying!("database-linked", path = shown(path), names = *names),
            Self::ReadOnly { path } => saying!("database-read-only", path = shown(path)),
            Self::Io { path, source } => {
                saying!("database-unopened", place = shown(path), why = hindrance(source))
            }
            Self::Unusable { location, cause } => {
                saying!("database-unopened", place = location.to_string(), why = refusal(location, cause))
            }
            Self::Foreign { location } => match location {
                DatabaseLocation::Sqlite(path) => saying!("database-foreign", place = shown(path)),
                DatabaseLocation::Memory(_) => saying!("database-foreign", place = location.to_string()),
                DatabaseLocation::Postgres(_) => {
                    saying!("database-foreign-on-server", place = location.to_string())
                }
            },
            Self::NoSchema { location } => saying!("database-no-schema", place = location.to_string()),
            Self::Newer { location, migration } => {
                saying!("database-newer", place = location.to_string(), migration = migration)
            }
            Self::InUse(owned) => saying!("database-in-use", why = owned.saying()),
        }
    }
}

impl From<LocationError> for OpenError {
    fn from(error: LocationError) -> Self {
        Self::Location(error)
    }
}

/// Why this process cannot own a database.
#[derive(Debug)]
#[non_exhaustive]
pub enum DatabaseOwnershipError {
    /// Another process owns the database.
    Owned {
        /// Location of the database.
        location: DatabaseLocation,
        /// Process id of the owner, if known.
        pid: Option<u32>,
        /// Host of the owner, if it may be another machine.
        host: Option<String>,
    },
    /// The lock file cannot be created.
    Io {
        /// Path of the lock file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The server cannot be reached or asked.
    Unusable {
        /// Location of the database.
        location: DatabaseLocation,
        /// Cause of the failure.
        cause: StoreOutage,
    },
}

impl DatabaseOwnershipError {
    /// The fault and how to fix it.
    pub fn saying(&self) -> LocalizedMessage {
        match self {
            Self::Owned { location, pid, host } => {
                saying!(
                    "database-owned",
                    place = location.to_string(),
                    owner = owner_saying(*pid, host.as_deref())
                )
            }
            Self::Io { path, source } => {
                saying!("database-lock-file", path = shown(path), why = hindrance(source))
            }
            Self::Unusable { location, cause } => {
                saying!("database-owner-unread", place = location.to_string(), why = cause.saying())
            }
        }
    }
}

/// Text that names the owner of a database, if known.
pub(crate) fn owner_saying(pid: Option<u32>, host: Option<&str>) -> LocalizedMessage {
    let process = match pid {
        // Not a count: no language groups the digits of a process id.
        Some(pid) => saying!("database-owner-process", pid = pid.to_string()),
        None => saying!("database-owner-unknown"),
    };
    match host {
        Some(host) => saying!("database-owner-at", process = process, host = host),
        None => process,
    }
}

/// Why no backup was made.
#[derive(Debug)]
#[non_exhaustive]
pub enum BackupError {
    /// A file exists at that path; a backup overwrites nothing.
    Exists {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file cannot be written.
    Io {
        /// Path of the file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The database cannot be read, or the copy failed halfway; the partial copy was removed.
    Failed(StoreOutage),
    /// The file of the copy cannot be opened as a database.
    Unopened(Box<OpenError>),
    /// The server's data could not be copied into the file.
    Uncopied(Box<DatabaseCopyError>),
}

impl BackupError {
    /// The fault and how to fix it.
    pub fn saying(&self) -> LocalizedMessage {
        match self {
            Self::Exists { path } => saying!("backup-exists", path = shown(path)),
            Self::Io { path, source } => {
                saying!("backup-unwritten", path = shown(path), why = hindrance(source))
            }
            Self::Failed(cause) => saying!("backup-failed", why = cause.saying()),
            Self::Unopened(error) => saying!("backup-failed", why = error.saying()),
            Self::Uncopied(error) => saying!("backup-failed", why = error.saying()),
        }
    }
}

/// Why no read-only copy of a database was made. Nothing was changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum SnapshotError {
    /// It is not an Entracte database, has another version, or cannot be reached.
    Open(Box<OpenError>),
    /// The copy cannot be written.
    Copy(BackupError),
    /// A server database with an older schema: it would have to be upgraded before it can be copied.
    Old {
        /// Location of the database.
        location: DatabaseLocation,
    },
}

impl SnapshotError {
    /// The fault and how to fix it.
    pub fn saying(&self) -> LocalizedMessage {
        match self {
            Self::Open(error) => error.saying(),
            Self::Copy(error) => error.saying(),
            Self::Old { location } => saying!("snapshot-old", place = location.to_string()),
        }
    }
}

impl From<BackupError> for SnapshotError {
    fn from(error: BackupError) -> Self {
        Self::Copy(error)
    }
}

/// Why a database was not copied into another one. Nothing was written.
#[derive(Debug)]
#[non_exhaustive]
pub enum DatabaseCopyError {
    /// Source and target are the same database.
    Same {
        /// Location of the database.
        location: DatabaseLocation,
    },
    /// The target contains rows.
    NotEmpty {
        /// Location of the target.
        location: DatabaseLocation,
        /// The first table with rows.
        table: &'static str,
    },
    /// Another process uses the target.
    InUse(DatabaseOwnershipError),
    /// The written rows differ from the source's.
    Differs {
        /// Name of the table.
        table: &'static str,
    },
    /// One of the two databases failed.
    Failed {
        /// Location of the failed database.
        location: DatabaseLocation,
        /// Cause of the failure.
        cause: StoreOutage,
    },
}

impl DatabaseCopyError {
    /// The fault and how to fix it.
    pub fn saying(&self) -> LocalizedMessage {
        match self {
            Self::Same { location } => saying!("copying-same", place = location.to_string()),
            Self::NotEmpty { location, table } => {
                saying!("copying-not-empty", place = location.to_string(), table = *table)
            }
            Self::InUse(owned) => saying!("copying-in-use", why = owned.saying()),
            Self::Differs { table } => saying!("copying-differs", table = *table),
            Self::Failed { location, cause } => {
                saying!("copying-unusable", place = location.to_string(), why = refusal(location, cause))
            }
        }
    }
}

/// Displays the errors in English, as in logs. The message contains the cause, so no `source` is returned.
macro_rules! told_in_english {
    ($($error:ty),* $(,)?) => {$(
        impl fmt::Display for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.saying().to_string())
            }
        }

        impl std::error::Error for $error {}
    )*};
}

told_in_english!(
    OpenError,
    DatabaseOwnershipError,
    BackupError,
    SnapshotError,
    DatabaseCopyError,
    LocationError
);

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Text for a database that refuses. If the server lacks the database, the text says how to create it by name.
fn refusal(location: &DatabaseLocation, cause: &StoreOutage) -> LocalizedMessage {
    match (location, cause.kind) {
        (DatabaseLocation::Postgres(url), StoreOutageKind::NoDatabase) => {
            let name = url.database().unwrap_or("DATABASE");
            saying!("database-missing", says = &cause.says, name = name)
        }
        (DatabaseLocation::Sqlite(_) | DatabaseLocation::Memory(_) | DatabaseLocation::Postgres(_), _) => {
            cause.saying()
        }
    }
}

/// The cause of a failed file access. A file that may not be opened is not called read-only.
fn hindrance(error: &std::io::Error) -> LocalizedMessage {
    match error.kind() {
        ErrorKind::PermissionDenied => saying!("path-denied"),
        ErrorKind::NotFound => saying!("path-no-folder"),
        ErrorKind::NotADirectory => saying!("path-in-file"),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            saying!("outage-full", says = saying!("path-full"))
        }
        ErrorKind::ReadOnlyFilesystem => saying!("outage-read-only", says = saying!("path-read-only")),
        _ => classify_outage(error.to_string()).saying(),
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::texts::{Language, LocalizedTexts};

    use super::*;

    #[test]
    fn inaccessible_path_is_not_called_read_only() {
        let source = ErrorKind::PermissionDenied.into();
        let told = OpenError::Io { path: "/secret/entracte.db".into(), source }.to_string();
        assert!(told.starts_with("/secret/entracte.db cannot be opened: permission denied; make"), "{told}");
        assert!(!told.contains("can be read but not written"), "{told}");
    }

    /// Input: databases that cannot be opened, backed up or copied; expected: fault and fix in the reader's language,
    /// except for the database's own messages.
    #[test]
    fn errors_are_localized_in_french() {
        let file = || DatabaseLocation::Sqlite("/d/e.db".into());
        let server = || DatabaseLocation::parse("postgres://ann:s3cret@db/notes").unwrap();
        let owned = || DatabaseOwnershipError::Owned { location: file(), pid: Some(4321), host: None };
        let french = LocalizedTexts::for_language(Language::Fr);
        let cases = [
            (
                OpenError::Unusable {
                    location: file(),
                    cause: classify_outage("file is not a database".into()),
                }
                .saying(),
                "impossible d’ouvrir /d/e.db\u{a0}: file is not a database. Ce fichier n’est pas une base de \
                 données, ou il est chiffré ou endommagé\u{a0}: indiquez le chemin de la base, ou restaurez une \
                 sauvegarde",
            ),
            (
                OpenError::Unusable {
                    location: server(),
                    cause: classify_outage("database \"notes\" does not exist".into()),
                }
                .saying(),
                "impossible d’ouvrir postgres://ann@db/notes\u{a0}: database \"notes\" does not exist\u{a0}; pour \
                 créer cette base\u{a0}: createdb notes",
            ),
            (
                LocationError::NotBuiltIn { database: "Postgres", feature: "postgres" }.saying(),
                "ce programme a été construit sans Postgres\u{a0}; choisissez une autre base de données, ou \
                 construisez-le avec la fonctionnalité «\u{a0}postgres\u{a0}»",
            ),
            (
                OpenError::InUse(owned()).saying(),
                "la base de données doit d’abord être migrée, ce qui est impossible pour l’instant\u{a0}; migrez-la \
                 quand personne ne s’en sert\u{a0}: /d/e.db appartient au processus 4321",
            ),
            (
                BackupError::Io { path: "no/b.db".into(), source: ErrorKind::NotFound.into() }.saying(),
                "impossible d’écrire no/b.db\u{a0}: son dossier n’existe pas\u{a0}; créez le dossier, ou choisissez \
                 un autre chemin",
            ),
            (
                DatabaseCopyError::InUse(owned()).saying(),
                "la base de destination ne doit pas être utilisée\u{a0}; réessayez quand personne ne s’en \
                 sert\u{a0}: /d/e.db appartient au processus 4321",
            ),
        ];
        for (saying, expected) in cases {
            assert_eq!(saying.render(french), expected);
        }
    }
}
