//! Where a database is. Parses what people write; opens nothing.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::OpenError;

/// Where a database is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// A file of SQLite.
    Sqlite(PathBuf),
}

impl Location {
    /// Reads a path, or a URL with the scheme `sqlite:` (`sqlite:///var/lib/entracte.db`). Other databases are
    /// refused by name.
    pub fn parse(text: &str) -> Result<Self, OpenError> {
        let path = match text.split_once(':') {
            Some(("sqlite", rest)) => rest.strip_prefix("//").unwrap_or(rest),
            Some((scheme, rest)) if rest.starts_with("//") => {
                return Err(OpenError::Unsupported { scheme: scheme.to_owned() });
            }
            _ => text,
        };
        if path.is_empty() || path == ":memory:" {
            return Err(OpenError::NoFile { given: text.to_owned() });
        }
        Ok(Self::Sqlite(PathBuf::from(path)))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Sqlite(path) => path,
        }
    }
}

impl From<PathBuf> for Location {
    fn from(path: PathBuf) -> Self {
        Self::Sqlite(path)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path().display().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let parsed = Location::parse(text).map(|location| location.to_string()).map_err(|e| e.to_string());
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

    #[test]
    fn another_database_is_refused_by_name() {
        check(
            "postgres://localhost/e",
            Err(
                "databases of the kind `postgres` are not supported by this build; give a path or sqlite://PATH",
            ),
        );
    }

    #[test]
    fn no_file_is_refused() {
        check("sqlite:", Err("`sqlite:` names no file; give the path of a database"));
        check(":memory:", Err("`:memory:` names no file; give the path of a database"));
    }
}
