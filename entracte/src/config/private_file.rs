//! A small file of the person, which others may not write (nor read, if it says so): read whole, and replaced as a
//! whole, exclusively among all processes.

use std::fs::{DirBuilder, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Who else may have access to a private file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OthersAccess {
    /// Others may read it, but not write it.
    Read,
    /// Others may do nothing.
    Nothing,
}

/// Why a private file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PrivateFileFault {
    /// There is no home folder for it.
    #[error("there is no home folder")]
    Homeless,
    /// Others have more access to it than they may.
    #[error("others have access to it")]
    Open,
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// A private file.
pub(crate) struct PrivateFile {
    /// `None` without a home folder.
    path: Option<PathBuf>,
    others: OthersAccess,
}

impl PrivateFile {
    /// The file at this path; without a home folder the path is relative.
    pub(crate) fn new(path: PathBuf, others: OthersAccess) -> Self {
        Self { path: path.is_absolute().then_some(path), others }
    }

    /// The path.
    pub(crate) fn path(&self) -> Result<&Path, PrivateFileFault> {
        self.path.as_deref().ok_or(PrivateFileFault::Homeless)
    }

    /// The path as text; empty without a home folder.
    pub(crate) fn shown(&self) -> String {
        self.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default()
    }

    /// The content; `None` if there is no file.
    pub(crate) fn read(&self) -> Result<Option<String>, PrivateFileFault> {
        let path = self.path()?;
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if is_open_to_others(path, self.others)? {
            return Err(PrivateFileFault::Open);
        }
        Ok(Some(text))
    }

    /// Replaces the content by the one that `change` makes of it; `None` leaves it as it is.
    pub(crate) fn change<E: From<PrivateFileFault>>(
        &self,
        change: impl FnOnce(Option<String>) -> Result<Option<String>, E>,
    ) -> Result<(), E> {
        let _lock = self.lock()?;
        match change(self.read()?)? {
            Some(text) => Ok(self.replace(&text)?),
            None => Ok(()),
        }
    }

    /// Waits until no other process changes the file.
    fn lock(&self) -> Result<File, PrivateFileFault> {
        let path = self.path()?;
        make_folder(path.parent().unwrap_or(Path::new("/")))?;
        let file =
            File::options().create(true).truncate(false).write(true).open(path.with_extension("lock"))?;
        file.lock()?;
        Ok(file)
    }

    fn replace(&self, text: &str) -> Result<(), PrivateFileFault> {
        let path = self.path()?;
        // Such a new file is readable and writable by its owner only.
        let mut new = NamedTempFile::new_in(path.parent().unwrap_or(Path::new("/")))?;
        new.write_all(text.as_bytes())?;
        new.as_file().sync_all()?;
        new.persist(path).map_err(|error| error.error)?;
        Ok(())
    }
}

fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(unix)]
fn is_open_to_others(path: &Path, others: OthersAccess) -> std::io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    let forbidden = match others {
        OthersAccess::Read => 0o022,
        OthersAccess::Nothing => 0o077,
    };
    Ok(std::fs::metadata(path)?.permissions().mode() & forbidden != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_path: &Path, _others: OthersAccess) -> std::io::Result<bool> {
    Ok(false)
}
