//! Identity of a database file, independent of its name. A process would continue to write into an open file after its
//! removal or replacement, and those writes would be lost.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

/// Device and inode of a file; `None` on systems without them.
pub(crate) type FileId = Option<(u64, u64)>;

/// Error text for a replaced file. [`classify_outage`](crate::db_error::classify_outage) recognizes these words.
pub(crate) const REPLACED: &str = "is not the file that was opened";

/// The file that was opened as the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DatabaseFile {
    path: PathBuf,
    id: FileId,
}

impl DatabaseFile {
    /// The file that is at `path` now.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), id: file_id(&std::fs::metadata(path)?) })
    }

    /// Fails if the file was removed or replaced.
    pub(crate) fn check(&self) -> Result<(), String> {
        match std::fs::metadata(&self.path) {
            Ok(found) if file_id(&found) == self.id => Ok(()),
            Ok(_) => Err(format!("{} {REPLACED}", self.path.display())),
            Err(error) => Err(format!("{} {REPLACED}: {error}", self.path.display())),
        }
    }
}

/// Device and inode of the file.
#[cfg(unix)]
pub(crate) fn file_id(found: &Metadata) -> FileId {
    use std::os::unix::fs::MetadataExt;
    Some((found.dev(), found.ino()))
}

/// Open files can be neither removed nor replaced on this system.
#[cfg(not(unix))]
pub(crate) fn file_id(_: &Metadata) -> FileId {
    None
}

/// Number of hard links to the file.
#[cfg(unix)]
pub(crate) fn link_count(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(found)
}

/// Hard links are not counted on this system.
#[cfg(not(unix))]
pub(crate) fn link_count(_: &Metadata) -> u64 {
    1
}

/// The path with symbolic links resolved: processes that use different links find the same lock files beside the file.
pub(crate) fn resolve(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let in_folder = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(in_folder).unwrap_or_else(|| path.to_owned())
}
