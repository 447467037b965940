//! The file: one JSON line per note, appended and flushed to disk. Blocking, so it is called on a blocking thread.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use entracte_domain::value::JsonValue;
use serde::{Deserialize, Serialize};

/// Reads and appends the notes of one file.
#[derive(Clone, Debug)]
pub(super) struct NoteFile {
    path: PathBuf,
}

/// A note in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NoteRecord {
    pub(super) call: String,
    pub(super) key: String,
    pub(super) attempt: u32,
    pub(super) text: String,
    pub(super) class: String,
}

/// The content of the file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NoteFileContent {
    /// The notes, oldest first.
    pub(super) lines: Vec<NoteRecord>,
    /// Lines that are not notes, such as one cut by a power failure.
    pub(super) damaged: u64,
}

/// Why the file could not be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoteFileError {
    /// Nothing was written.
    #[error("the journal file cannot be used, and nothing was written: {0}")]
    Untouched(#[source] io::Error),
    /// The call was cancelled before anything was written.
    #[error("nothing was written, because the call was cancelled")]
    Unwanted,
    /// The note may have been written.
    #[error("the journal file may or may not have been written: {0}")]
    Unsure(#[source] io::Error),
}

impl NoteFile {
    /// The file at `path`; it need not exist.
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Appends a line, unless `once_per_key` is set and the file already contains the key. A lock makes reading and
    /// writing one step, also for other processes.
    pub(super) fn append(
        &self,
        line: &NoteRecord,
        once_per_key: bool,
        wanted: &AtomicBool,
    ) -> Result<(), NoteFileError> {
        let text = serde_json::to_string(line).map_err(|fault| NoteFileError::Untouched(fault.into()))?;
        let mut options = fs::OpenOptions::new();
        let mut file = options
            .read(true)
            .append(true)
            .create(true)
            .open(&self.path)
            .map_err(NoteFileError::Untouched)?;
        file.lock().map_err(NoteFileError::Untouched)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(NoteFileError::Untouched)?;
        if once_per_key && parse(&bytes).lines.iter().any(|known| known.key == line.key) {
            return Ok(());
        }
        if !wanted.load(Ordering::SeqCst) {
            return Err(NoteFileError::Unwanted);
        }
        // A line cut by a power failure must not swallow the next one.
        let cut = bytes.last().is_some_and(|last| *last != b'\n');
        let whole = format!("{}{text}\n", if cut { "\n" } else { "" });
        file.write_all(whole.as_bytes()).and_then(|()| file.sync_all()).map_err(NoteFileError::Unsure)
    }

    /// The content of the file; empty when it does not exist.
    pub(super) fn read(&self) -> Result<NoteFileContent, NoteFileError> {
        match fs::read(&self.path) {
            Ok(bytes) => Ok(parse(&bytes)),
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(NoteFileContent::default()),
            Err(fault) => Err(NoteFileError::Untouched(fault)),
        }
    }
}

impl NoteRecord {
    /// The note as a value for the model.
    pub(super) fn value(&self) -> JsonValue {
        JsonValue::from([
            ("call", JsonValue::from(self.call.as_str())),
            ("key", JsonValue::from(self.key.as_str())),
            ("attempt", JsonValue::from(i64::from(self.attempt))),
            ("text", JsonValue::from(self.text.as_str())),
            ("class", JsonValue::from(self.class.as_str())),
        ])
    }
}

fn parse(bytes: &[u8]) -> NoteFileContent {
    let mut read = NoteFileContent::default();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice(line) {
            Ok(line) => read.lines.push(line),
            Err(_) => read.damaged += 1,
        }
    }
    read
}
