//! Files that only their owner may read: a database holds what people said.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fs4::TryLockError;

use crate::file_identity::resolve;
use crate::opening_progress::retry_for;

/// Makes an empty file; fails when something is there.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    private().read(true).write(true).create_new(true).open(path)
}

/// Whether nothing is there; fails when something is.
pub(crate) fn is_free(path: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// The name under which this process writes a file until it is whole. Another process writes the same file elsewhere.
pub(crate) fn partial_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    PathBuf::from(name)
}

/// Makes an empty file in the place of one that a process left half written when it died.
pub(crate) fn recreate(path: &Path) -> io::Result<File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    create(path)
}

/// Gives a whole file its name, unless something got it meanwhile; a link and not a renaming, which would take the place of
/// what is there. Where the file system has no links, it is renamed.
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

/// The name itself is on the disk when this returns.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    #[cfg(unix)]
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Opens a file, and makes it when it is not there.
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    private().read(true).write(true).create(true).truncate(false).open(path)
}

/// The turn of the process that opens a database; others wait while it lives.
pub(crate) struct OpeningLock {
    /// Holds something while the database is being made, so that one that was not made to its end is known as such.
    file: File,
    /// The name of that file.
    name: PathBuf,
    /// This process made it.
    is_new: bool,
}

impl OpeningLock {
    /// The database is about to be made.
    pub(crate) fn mark_creating(&mut self) -> io::Result<()> {
        self.file.set_len(1)
    }

    /// It was made.
    pub(crate) fn mark_created(&mut self) -> io::Result<()> {
        self.file.set_len(0)
    }

    /// Whether it was about to be made, and the process that did so ended before.
    pub(crate) fn is_creation_interrupted(&self) -> io::Result<bool> {
        Ok(self.file.metadata()?.len() > 0)
    }

    /// No database was opened: what was put beside a file that is none goes again, unless one is being made.
    pub(crate) fn remove_leftovers(&self) {
        if self.is_new && self.is_creation_interrupted().is_ok_and(|is_making| !is_making) {
            remove(&self.name);
        }
    }
}

/// Waits until no other process opens the database at `path`, and keeps others waiting while the answer lives. Where that takes
/// longer than `patience`, `waits` is told.
/// Making a database and changing its journal mode need it alone, and SQLite answers "locked" at once to any process that
/// comes in between.
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
        // Some file systems give an open file another number than its name: they keep nobody here.
        if rounds == ROUNDS || has_name(&file, &name)? {
            return Ok(OpeningLock { file, name, is_new });
        }
    }
}

/// How often a file that another process removed is made again before it is taken as it is.
const ROUNDS: u32 = 100;

/// Whether an open file still has its name. One that another process removed keeps nobody waiting.
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

/// An open file cannot be removed here.
#[cfg(not(unix))]
fn has_name(_file: &File, _name: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Removes what lies beside a database that no process has open: the files that keep others waiting.
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

/// The name of a file beside a database, which is the same by whatever link the database is named.
pub(crate) fn sibling_path(path: &Path, suffix: &str) -> PathBuf {
    let mut name = resolve(path).into_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

/// Makes the directory that `path` lies in, and those above it.
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
