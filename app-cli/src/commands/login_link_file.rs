//! Links that are as good as a login. They stand on a terminal, or in a file that only its owner may read: what a process prints
//! without a terminal is kept in a log, which others read, and which lasts longer than the link.

use std::fs::DirBuilder;
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::config::AppSettings;
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// A file with one link. It is removed when this is dropped, unless it is kept.
pub(super) struct LoginLinkFile {
    path: PathBuf,
    is_kept: bool,
}

impl LoginLinkFile {
    /// Writes a link into the file of this name in the data folder, in the place of an older one.
    pub(super) fn write(settings: &AppSettings, name: &str, link: &str) -> Result<Self, CliError> {
        let path = settings.data.join(name);
        let path = std::path::absolute(&path).unwrap_or(path);
        replace(&path, link).map_err(|error| {
            let text = message!("link-no-file", file = path.display().to_string(), why = error.to_string());
            CliError::with_next(CliExitCode::Failure, text, "entracte doctor")
        })?;
        Ok(Self { path, is_kept: false })
    }

    /// It stays when this is dropped.
    pub(super) fn keep(mut self) -> Self {
        self.is_kept = true;
        self
    }

    /// Its path, for people and programs.
    pub(super) fn shown(&self) -> String {
        self.path.display().to_string()
    }
}

impl Drop for LoginLinkFile {
    fn drop(&mut self) {
        if !self.is_kept {
            // It is worth nothing any more; whoever cannot remove it loses nothing.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn replace(path: &Path, link: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    DirBuilder::new().recursive(true).mode(PRIVATE_FOLDER).create(folder)?;
    // A new file like this can be read and written by its owner only.
    let mut new = NamedTempFile::new_in(folder)?;
    new.write_all(format!("{link}\n").as_bytes())?;
    new.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Open to its owner only.
const PRIVATE_FOLDER: u32 = 0o700;
