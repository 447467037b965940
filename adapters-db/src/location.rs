//! Locations of databases: parses what people write, and opens nothing.

mod error;
mod memory;
mod postgres_url;

use std::fmt;
use std::path::{Path, PathBuf};

pub use error::LocationError;
pub use memory::MemoryDatabase;
pub(crate) use memory::MemoryDatabaseLock;
pub use postgres_url::PostgresUrl;

/// The path of a database in memory.
const IN_MEMORY: &str = ":memory:";

/// The location of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatabaseLocation {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A SQLite database in memory, at most 1 GiB large.
    Memory(MemoryDatabase),
    /// A database of a Postgres server.
    Postgres(PostgresUrl),
}

impl DatabaseLocation {
    /// Parses a path, a URL with the scheme `sqlite:` (`sqlite:///var/lib/entracte.db`), or a Postgres URL
    /// (`postgres://user@host/database`). Other databases are refused by name. The path `:memory:` is a new database in
    /// memory each time.
    ///
    /// # Errors
    ///
    /// [`LocationError`] if the text is neither, or names another kind of database.
    pub fn parse(text: &str) -> Result<Self, LocationError> {
        let path = match text.split_once(':') {
            Some(("sqlite", rest)) => rest.strip_prefix("//").unwrap_or(rest),
            Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => {
                return PostgresUrl::parse(text).map(Self::Postgres);
            }
            Some((scheme, rest)) if rest.starts_with("//") => {
                return Err(LocationError::Unsupported { scheme: scheme.to_owned() });
            }
            _ => text,
        };
        match path {
            "" => Err(LocationError::NoFile { given: text.to_owned() }),
            IN_MEMORY => Ok(Self::Memory(MemoryDatabase::new())),
            path => Ok(Self::Sqlite(PathBuf::from(path))),
        }
    }

    /// Refuses the location of a database that is left out of this build.
    ///
    /// # Errors
    /// [`LocationError::NotBuiltIn`] with the feature that builds it in.
    pub fn check_built_in(&self) -> Result<(), LocationError> {
        let is_built_in = match self {
            Self::Sqlite(_) | Self::Memory(_) => cfg!(feature = "sqlite"),
            Self::Postgres(_) => cfg!(feature = "postgres"),
        };
        if is_built_in { Ok(()) } else { Err(self.not_built_in()) }
    }

    /// The error that this database is left out of the build.
    pub(crate) fn not_built_in(&self) -> LocationError {
        let (database, feature) = match self {
            Self::Sqlite(_) | Self::Memory(_) => ("SQLite", "sqlite"),
            Self::Postgres(_) => ("Postgres", "postgres"),
        };
        LocationError::NotBuiltIn { database, feature }
    }

    /// Whether the database runs on this machine: it is a file, in memory, or a server on the loopback or a socket.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Sqlite(_) | Self::Memory(_) => true,
            Self::Postgres(url) => url.is_local(),
        }
    }

    /// Path of the file; `None` for a database in memory, and for a server.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(path) => Some(path),
            Self::Memory(_) | Self::Postgres(_) => None,
        }
    }
}

impl From<PathBuf> for DatabaseLocation {
    fn from(path: PathBuf) -> Self {
        Self::Sqlite(path)
    }
}

impl fmt::Display for DatabaseLocation {
    /// Never shows a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => path.display().fmt(f),
            Self::Memory(_) => f.write_str(IN_MEMORY),
            Self::Postgres(url) => url.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let parsed =
            DatabaseLocation::parse(text).map(|location| location.to_string()).map_err(|e| e.to_string());
        assert_eq!(parsed, expected.map(str::to_owned).map_err(str::to_owned));
    }

    #[test]
    fn a_path_is_taken_as_it_is() {
        check("data/my db.sqlite", Ok("data/my db.sqlite"));
    }

    #[test]
    fn a_url_gives_its_path() {
        check("sqlite:///var/lib/e.db", Ok("/var/lib/e.db"));
        check("sqlite:e.db", Ok("e.db"));
    }

    /// Input: a location of each database; expected: one that is left out of this build is refused by name, also when it is
    /// opened.
    #[test]
    fn absent_database_is_refused_by_name() {
        let sqlite = "this program was built without SQLite; choose another database, or build it with the feature \
                      `sqlite`";
        let postgres = "this program was built without Postgres; choose another database, or build it with the \
                        feature `postgres`";
        for (text, is_built_in, expected) in [
            ("e.db", cfg!(feature = "sqlite"), sqlite),
            (":memory:", cfg!(feature = "sqlite"), sqlite),
            ("postgres://ann@db/e", cfg!(feature = "postgres"), postgres),
        ] {
            let location = DatabaseLocation::parse(text).unwrap();
            assert_eq!(location.not_built_in().to_string(), expected);
            assert_eq!(location.check_built_in().is_ok(), is_built_in);
            if !is_built_in {
                let refused = crate::Database::open(text, crate::DatabaseOptions::default()).unwrap_err();
                assert_eq!(refused.to_string(), expected);
            }
        }
    }

    #[test]
    fn each_database_in_memory_is_another_one() {
        check(":memory:", Ok(":memory:"));
        check("sqlite::memory:", Ok(":memory:"));
        let location = DatabaseLocation::parse(":memory:");
        assert_eq!(location.clone(), location);
        assert_ne!(location, DatabaseLocation::parse(":memory:"));
    }

    #[test]
    fn postgres_url_is_shown_without_password() {
        check("postgres://ann:secret@db/e", Ok("postgres://ann@db/e"));
        check("postgresql:///e?host=/tmp", Ok("postgres:///e?host=/tmp"));
    }

    #[test]
    fn another_database_is_refused_by_name() {
        check(
            "mysql://localhost/e",
            Err(
                "databases of the kind `mysql` are not supported by this build; give a path, sqlite://PATH or \
                 postgres://USER@HOST/DATABASE",
            ),
        );
    }

    #[test]
    fn no_file_is_refused() {
        check("sqlite:", Err("`sqlite:` is not a file name; give the path of a database"));
    }
}
