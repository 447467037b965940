//! Which file a database is, whatever its name. A process that has it open goes on writing into it when it is removed or another
//! file takes its name, and nobody would ever find what it wrote.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

/// Device and inode of a file; `None` where there are no such numbers.
pub(crate) type FileId = Option<(u64, u64)>;

/// Why nothing more is written. [`outage`](crate::db_error::outage) knows it by these words.
pub(crate) const REPLACED: &str = "is not the file that was opened";

/// The file that was opened as the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DatabaseFile {
    path: PathBuf,
    id: FileId,
}

impl DatabaseFile {
    /// The file at `path`, as it is now.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), id: file_id(&std::fs::metadata(path)?) })
    }

    /// Refuses to go on when the file was removed, or another one has its name.
    pub(crate) fn check(&self) -> Result<(), String> {
        match std::fs::metadata(&self.path) {
            Ok(found) if file_id(&found) == self.id => Ok(()),
            Ok(_) => Err(format!("{} {REPLACED}", self.path.display())),
            Err(error) => Err(format!("{} {REPLACED}: {error}", self.path.display())),
        }
    }
}

/// Which file this is.
#[cfg(unix)]
pub(crate) fn file_id(found: &Metadata) -> FileId {
    use std::os::unix::fs::MetadataExt;
    Some((found.dev(), found.ino()))
}

/// An open file can be neither removed nor replaced there.
#[cfg(not(unix))]
pub(crate) fn file_id(_: &Metadata) -> FileId {
    None
}

/// How many names a file has.
#[cfg(unix)]
pub(crate) fn link_count(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(found)
}

/// It is not counted there.
#[cfg(not(unix))]
pub(crate) fn link_count(_: &Metadata) -> u64 {
    1
}

/// The path without links in it: whoever opens the file by another one finds the same locks beside it.
pub(crate) fn resolve(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let in_folder = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(in_folder).unwrap_or_else(|| path.to_owned())
}
