//! Why a database cannot be opened, owned or copied: what is wrong, as a kind with its values; its words, with how to fix it
//! where there is a way, are texts of the catalogue. No text here ever holds a password.

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
    /// The place cannot be read.
    Location(LocationError),
    /// A directory is where the file should be.
    Directory {
        /// The path.
        path: PathBuf,
    },
    /// The file is there, and nothing is in it: it was a database, and was emptied.
    Empty {
        /// The path.
        path: PathBuf,
    },
    /// The file has more than one name: another process would find no lock beside another name.
    Linked {
        /// The path.
        path: PathBuf,
        /// How many names it has.
        names: u64,
    },
    /// The file may not be written.
    ReadOnly {
        /// The path.
        path: PathBuf,
    },
    /// The file or its directory cannot be made or read.
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The database refuses to be opened: it is not a database, or is damaged, locked, not reached.
    Unusable {
        /// Where it is.
        location: DatabaseLocation,
        /// What hinders it.
        cause: StoreOutage,
    },
    /// It is a database of another program.
    Foreign {
        /// Where it is.
        location: DatabaseLocation,
    },
    /// There is no schema to make tables in.
    NoSchema {
        /// Where it is.
        location: DatabaseLocation,
    },
    /// A newer Entracte changed its shape.
    Newer {
        /// Where it is.
        location: DatabaseLocation,
        /// The first migration this build does not know.
        migration: String,
    },
    /// Its shape is old and someone works with it, so it cannot be changed now.
    InUse(DatabaseOwnershipError),
}

impl OpenError {
    /// What is wrong, and how to fix it.
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
    /// Another process owns it.
    Owned {
        /// The database.
        location: DatabaseLocation,
        /// The owner, when it can be told.
        pid: Option<u32>,
        /// The machine it runs on, when it is perhaps another one.
        host: Option<String>,
    },
    /// The lock file cannot be made.
    Io {
        /// The lock file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The server cannot be asked.
    Unusable {
        /// The database.
        location: DatabaseLocation,
        /// What hinders it.
        cause: StoreOutage,
    },
}

impl DatabaseOwnershipError {
    /// What is wrong, and how to fix it.
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

/// Who owns a database, as far as it is known.
pub(crate) fn owner_saying(pid: Option<u32>, host: Option<&str>) -> LocalizedMessage {
    let process = match pid {
        // Not a count: no language groups its digits.
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
    /// Something is at that path; a backup overwrites nothing.
    Exists {
        /// The path.
        path: PathBuf,
    },
    /// The file cannot be written.
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The database cannot be read, or the copy failed half-way; the half copy was removed.
    Failed(StoreOutage),
    /// The file of the copy cannot be made a database.
    Unopened(Box<OpenError>),
    /// What a server keeps could not be copied into the file.
    Uncopied(Box<DatabaseCopyError>),
}

impl BackupError {
    /// What is wrong, and how to fix it.
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

/// Why no copy was made of a database that is only looked at. Nothing was changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum SnapshotError {
    /// It is no database of ours, or of another version, or cannot be reached.
    Open(Box<OpenError>),
    /// The copy cannot be written.
    Copy(BackupError),
    /// A server's database in the shape of an older version: to copy it, it would have to be upgraded.
    Old {
        /// The database.
        location: DatabaseLocation,
    },
}

impl SnapshotError {
    /// What is wrong, and how to fix it.
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

/// Why a database was not copied into another one. Then nothing was written.
#[derive(Debug)]
#[non_exhaustive]
pub enum DatabaseCopyError {
    /// Source and target are the same.
    Same {
        /// The database.
        location: DatabaseLocation,
    },
    /// The target holds something.
    NotEmpty {
        /// The target.
        location: DatabaseLocation,
        /// The first table with rows.
        table: &'static str,
    },
    /// Someone works with the target.
    InUse(DatabaseOwnershipError),
    /// What was written is not what was read.
    Differs {
        /// The table.
        table: &'static str,
    },
    /// One of the two cannot be used.
    Failed {
        /// Which one.
        location: DatabaseLocation,
        /// What hinders it.
        cause: StoreOutage,
    },
}

impl DatabaseCopyError {
    /// What is wrong, and how to fix it.
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

/// In English, as logs have it. A cause stands in the words, so none is named as a source.
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

told_in_english!(OpenError, DatabaseOwnershipError, BackupError, SnapshotError, DatabaseCopyError, LocationError);

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Why a database refuses. One that its server does not have is made by the name that it is to have.
fn refusal(location: &DatabaseLocation, cause: &StoreOutage) -> LocalizedMessage {
    match (location, cause.kind) {
        (DatabaseLocation::Postgres(url), StoreOutageKind::NoDatabase) => {
            let name = url.database().unwrap_or("DATABASE");
            saying!("database-missing", says = &cause.says, name = name)
        }
        (DatabaseLocation::Sqlite(_) | DatabaseLocation::Postgres(_), _) => cause.saying(),
    }
}

/// What hinders the work with a file. One that may not even be opened is not one that is read and not written.
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
    fn a_path_that_may_not_be_entered_is_not_called_readable() {
        let source = ErrorKind::PermissionDenied.into();
        let told = OpenError::Io { path: "/secret/entracte.db".into(), source }.to_string();
        assert!(told.starts_with("/secret/entracte.db cannot be opened: permission denied; make"), "{told}");
        assert!(!told.contains("can be read but not written"), "{told}");
    }

    /// Input: databases that cannot be opened, backed up or copied; expected: what is wrong and how to fix it, all of it in the
    /// language of the reader but for what a database says in its own words.
    #[test]
    fn what_is_wrong_is_said_in_french() {
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
