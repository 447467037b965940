//! Login links, which grant access like a login. They are shown on a terminal, or written to a file that only its
//! owner may read: output without a terminal goes to a log, which others may read, and which lasts longer than the
//! link.

use std::fs::DirBuilder;
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::config::AppSettings;
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// A file with one link. Dropping it removes the file, unless it is kept.
pub(super) struct LoginLinkFile {
    path: PathBuf,
    is_kept: bool,
}

impl LoginLinkFile {
    /// Writes a link to the file of this name in the data folder, and replaces an older one.
    pub(super) fn write(settings: &AppSettings, name: &str, link: &str) -> Result<Self, CliError> {
        let path = settings.data.join(name);
        let path = std::path::absolute(&path).unwrap_or(path);
        replace(&path, link).map_err(|error| {
            let text = message!("link-no-file", file = path.display().to_string(), why = error.to_string());
            CliError::with_next(CliExitCode::Failure, text, "entracte doctor")
        })?;
        Ok(Self { path, is_kept: false })
    }

    /// Keeps the file when this is dropped.
    pub(super) fn keep(mut self) -> Self {
        self.is_kept = true;
        self
    }

    /// Its path for display.
    pub(super) fn shown(&self) -> String {
        self.path.display().to_string()
    }
}

impl Drop for LoginLinkFile {
    fn drop(&mut self) {
        if !self.is_kept {
            // The link has expired, so a failed removal does no harm.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn replace(path: &Path, link: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    DirBuilder::new().recursive(true).mode(PRIVATE_FOLDER).create(folder)?;
    // Such a new file is readable and writable by its owner only.
    let mut new = NamedTempFile::new_in(folder)?;
    new.write_all(format!("{link}\n").as_bytes())?;
    new.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Accessible to its owner only.
const PRIVATE_FOLDER: u32 = 0o700;
