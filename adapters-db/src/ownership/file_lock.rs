//! A lock on a file beside the database. The operating system releases it when the process ends.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use fs4::{FileExt, TryLockError};

use crate::error::DatabaseOwnershipError;
use crate::file_identity::{FileId, file_id};
use crate::location::DatabaseLocation;
use crate::private_file;

/// The held lock; released when dropped.
#[derive(Debug)]
pub(super) struct FileLock {
    file: File,
    path: PathBuf,
    id: FileId,
}

/// Whether the file at `path` is still the locked one; another process can lock a replacement.
pub(super) fn is_locked_file_in_place(path: &Path, id: &FileId) -> bool {
    std::fs::metadata(path).is_ok_and(|found| file_id(&found) == *id)
}

impl FileLock {
    /// Takes the lock beside the database at `path`, or fails with its holder. Never waits.
    pub(super) fn take(path: &Path) -> Result<Self, DatabaseOwnershipError> {
        let lock = private_file::sibling_path(path, ".lock");
        let failed = |source| DatabaseOwnershipError::Io { path: lock.clone(), source };
        let mut file = private_file::open_or_create(&lock).map_err(failed)?;
        match FileExt::try_lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let (location, pid) = (DatabaseLocation::Sqlite(path.to_owned()), read_pid(&mut file));
                return Err(DatabaseOwnershipError::Owned { location, pid, host: None });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        write_pid(&mut file).map_err(failed)?;
        let id = file_id(&file.metadata().map_err(failed)?);
        Ok(Self { file, path: lock.clone(), id })
    }

    /// Path of the lock file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Device and inode of the lock file.
    pub(super) fn id(&self) -> FileId {
        self.id
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Closing the file releases the lock; this only empties it, so that no process reads an old process id.
        if let Err(error) = self.file.set_len(0) {
            tracing::debug!(%error, "the lock file could not be emptied");
        }
    }
}

/// The process id of the lock's holder, itself `None` if it cannot be read; `None` if no process holds the lock.
/// Creates no file.
pub(super) fn lock_holder_pid(path: &Path) -> std::io::Result<Option<Option<u32>>> {
    let mut file = match File::open(private_file::sibling_path(path, ".lock")) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    match FileExt::try_lock_shared(&file) {
        // Closing the file releases it.
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => Ok(Some(read_pid(&mut file))),
        Err(TryLockError::Error(source)) => Err(source),
    }
}

fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(20).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

fn write_pid(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}
