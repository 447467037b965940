//! Writes a configuration file: the new text is checked, and written as a whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::file;
use super::layers::ConfigLayer;
use crate::user_text::{ConfigFault, UserText, message};

/// The most bytes of a configuration file.
pub(super) const MAX_BYTES: u64 = 1 << 20;

/// Why a file was not written.
#[derive(Debug)]
pub(crate) enum WriteFault {
    /// It cannot be written.
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Another program changed it meanwhile.
    Changed(PathBuf),
}

impl WriteFault {
    /// The fault as a text.
    pub(crate) fn says(&self) -> UserText {
        match self {
            WriteFault::Io { path, source } => {
                message!("cannot-be-written", file = path.display().to_string(), why = source.to_string())
            }
            WriteFault::Changed(path) => message!("config-changed", file = path.display().to_string()),
        }
    }
}

/// A configuration file and its text.
#[derive(Clone, Debug)]
pub(crate) struct ConfigFile {
    /// Its path as given.
    pub(crate) path: PathBuf,
    /// Its text; `None` if the file does not exist.
    pub(crate) text: Option<String>,
}

impl ConfigFile {
    /// Reads the file, which need not exist.
    pub(crate) fn read(path: PathBuf) -> Result<Self, ConfigFault> {
        match text_of(&path) {
            Ok(text) => Ok(Self { path, text }),
            Err(error) => Err(ConfigFault::new(super::unreadable(&path, &error))),
        }
    }

    /// Its name in messages.
    pub(crate) fn shown(&self) -> String {
        self.path.display().to_string()
    }

    /// The folder in which its relative paths are resolved.
    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Checks a new text for the file, and returns its settings. A text that no start could read is refused.
    pub(crate) fn check(&self, text: &str) -> Result<ConfigLayer, ConfigFault> {
        if text.len() as u64 > MAX_BYTES {
            let most = MAX_BYTES.to_string();
            return Err(ConfigFault::new(message!("config-too-large", file = self.shown(), most = most)));
        }
        file::read(&self.shown(), text, self.folder())
    }

    /// Writes the text to a temporary file and renames it, so that the file is complete at every moment. A new file
    /// is readable by its owner only; an existing one keeps its permissions.
    pub(crate) fn write(&self, text: &str) -> Result<(), WriteFault> {
        let io = |source| WriteFault::Io { path: self.path.clone(), source };
        // A link is preserved: its target is written.
        let path = std::fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(io)?;
        let mut new = NamedTempFile::new_in(folder).map_err(io)?;
        new.write_all(text.as_bytes()).map_err(io)?;
        if let Ok(old) = std::fs::metadata(&path) {
            new.as_file().set_permissions(old.permissions()).map_err(io)?;
        }
        new.as_file().sync_all().map_err(io)?;
        if text_of(&path).map_err(io)? != self.text {
            return Err(WriteFault::Changed(self.path.clone()));
        }
        new.persist(&path).map_err(|error| io(error.error))?;
        Ok(())
    }
}

fn text_of(path: &Path) -> std::io::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: a text as long as a file may be, and one that is longer; expected: only the first one may be written.
    #[test]
    fn text_that_no_start_reads_is_refused() {
        let file = ConfigFile { path: "config.toml".into(), text: None };
        let text = |bytes: u64| "#".repeat(usize::try_from(bytes).unwrap());
        assert!(file.check(&text(MAX_BYTES)).is_ok());
        let fault = file.check(&text(MAX_BYTES + 1)).unwrap_err().to_string();
        assert!(fault.contains("config.toml") && fault.contains("1048576"), "{fault}");
    }

    #[test]
    fn concurrently_changed_file_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/config.toml");
        let file = ConfigFile::read(path.clone()).unwrap();
        file.write("one = 1\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one = 1\n");
        assert!(matches!(file.write("two = 2\n"), Err(WriteFault::Changed(_))));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one = 1\n");
        let left = std::fs::read_dir(folder.path().join("a")).unwrap().count();
        assert_eq!(left, 1, "nothing is left beside it");
    }
}
