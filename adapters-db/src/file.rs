//! Files that only their owner may read: a database holds what people said.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Makes an empty file; fails when something is there.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    private().read(true).write(true).create_new(true).open(path)
}

/// Opens a file, and makes it when it is not there.
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    private().read(true).write(true).create(true).truncate(false).open(path)
}

/// Waits until no other process opens the database at `path`, and keeps others waiting while the answer lives.
/// Making a database and changing its journal mode need it alone, and SQLite answers "locked" at once to whoever
/// comes in between.
pub(crate) fn wait_for_turn(path: &Path) -> io::Result<File> {
    let mut name = path.as_os_str().to_owned();
    name.push(".opening");
    let file = open_or_create(Path::new(&name))?;
    fs4::FileExt::lock(&file)?;
    Ok(file)
}

/// Removes what lies beside a database that nobody has open: the files that keep others waiting.
pub(crate) fn remove_companions(path: &Path) {
    for suffix in [".opening", ".lock"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        if let Err(error) = std::fs::remove_file(Path::new(&name))
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::debug!(%error, "a file beside a database could not be removed");
        }
    }
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
