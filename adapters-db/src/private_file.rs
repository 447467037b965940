//! Files that only their owner may read, because a database contains people's conversations.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fs4::TryLockError;

use crate::file_identity::resolve;
use crate::opening_progress::retry_for;

/// Creates an empty file; fails if the path exists.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    private().read(true).write(true).create_new(true).open(path)
}

/// Fails if the path exists.
pub(crate) fn is_free(path: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Temporary name under which this process writes a file. Other processes use other names.
pub(crate) fn partial_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    PathBuf::from(name)
}

/// Creates an empty file, replacing a partial one left by a process that died.
pub(crate) fn recreate(path: &Path) -> io::Result<File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    create(path)
}

/// Gives a complete file its final name unless that exists meanwhile. It uses a hard link, because a rename would
/// replace an existing file; file systems without hard links use a rename.
pub(crate) fn publish(part: &Path, path: &Path) -> io::Result<()> {
    match std::fs::hard_link(part, path) {
        Ok(()) => {
            if let Err(error) = std::fs::remove_file(part) {
                tracing::debug!(%error, path = %part.display(), "the second name of a backup stays");
            }
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        Err(_) => {
            is_free(path)?;
            std::fs::rename(part, path)?;
        }
    }
    sync_folder(path)
}

/// Syncs the folder, so that the new name is on the disk.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    #[cfg(unix)]
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Opens a file, and creates it if it does not exist.
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    private().read(true).write(true).create(true).truncate(false).open(path)
}

/// The lock of the process that opens a database; other processes wait until it is dropped.
pub(crate) struct OpeningLock {
    /// Not empty while the database is being created, so that an interrupted creation is detected.
    file: File,
    /// Path of that file.
    name: PathBuf,
    /// True if this process created the file.
    is_new: bool,
}

impl OpeningLock {
    /// Marks the creation of the database as begun.
    pub(crate) fn mark_creating(&mut self) -> io::Result<()> {
        self.file.set_len(1)
    }

    /// Marks the creation of the database as complete.
    pub(crate) fn mark_created(&mut self) -> io::Result<()> {
        self.file.set_len(0)
    }

    /// Whether an earlier process ended before it completed the creation.
    pub(crate) fn is_creation_interrupted(&self) -> io::Result<bool> {
        Ok(self.file.metadata()?.len() > 0)
    }

    /// Removes the lock file if no database was opened, unless one is being created.
    pub(crate) fn remove_leftovers(&self) {
        if self.is_new && self.is_creation_interrupted().is_ok_and(|is_making| !is_making) {
            remove(&self.name);
        }
    }
}

/// Waits until no other process is opening the database at `path`, and blocks others until the result is dropped. Calls
/// `waits` once that takes longer than `patience`. Creating a database and changing its journal mode need exclusive
/// access, and SQLite answers "locked" at once to a concurrent process.
pub(crate) fn acquire_opening_lock(
    path: &Path,
    patience: Duration,
    waits: impl FnOnce(),
) -> io::Result<OpeningLock> {
    let name = sibling_path(path, ".opening");
    let (mut waits, mut rounds) = (Some(waits), 0);
    loop {
        let (file, is_new) = match create(&name) {
            Ok(file) => (file, true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (open_or_create(&name)?, false),
            Err(error) => return Err(error),
        };
        let is_taken = retry_for(patience, || match fs4::FileExt::try_lock(&file) {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        })?;
        if !is_taken {
            if let Some(waits) = waits.take() {
                waits();
            }
            fs4::FileExt::lock(&file)?;
        }
        rounds += 1;
        // Some file systems report different inodes for an open file and its name: there the lock protects nothing.
        if rounds == ROUNDS || has_name(&file, &name)? {
            return Ok(OpeningLock { file, name, is_new });
        }
    }
}

/// How often a lock file removed by another process is recreated before it is accepted as it is.
const ROUNDS: u32 = 100;

/// Whether an open file still has its name. A file that another process removed locks nothing.
#[cfg(unix)]
fn has_name(file: &File, name: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let open = file.metadata()?;
    match std::fs::metadata(name) {
        Ok(named) => Ok((named.dev(), named.ino()) == (open.dev(), open.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Open files cannot be removed on this system.
#[cfg(not(unix))]
fn has_name(_file: &File, _name: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Removes the lock files beside a database that no process has open.
pub(crate) fn remove_companions(path: &Path) {
    for suffix in [".opening", ".lock"] {
        remove(&sibling_path(path, suffix));
    }
}

fn remove(name: &Path) {
    if let Err(error) = std::fs::remove_file(name)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::debug!(%error, "a file beside a database could not be removed");
    }
}

/// Path of a file beside the database, independent of the link by which the database is named.
pub(crate) fn sibling_path(path: &Path, suffix: &str) -> PathBuf {
    let mut name = resolve(path).into_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

/// Creates the parent directories of `path`.
pub(crate) fn create_parents(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => private_directories().create(parent),
        _ => Ok(()),
    }
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn private_directories() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}
