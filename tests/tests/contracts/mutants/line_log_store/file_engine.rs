//! The file engine: a line of JSON for each operation.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Mutex;

use super::store::LineLogEngine;

/// A file of lines, locked by one process.
pub(crate) struct FileLineEngine(Mutex<File>);

impl FileLineEngine {
    /// Opens or creates the file; refuses if another process has locked it, unless `is_for_everybody`.
    pub(crate) fn open(path: &Path, is_for_everybody: bool) -> Result<Self, String> {
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = opened.map_err(|error| error.to_string())?;
        if !is_for_everybody {
            file.try_lock().map_err(|error| error.to_string())?;
        }
        Ok(Self(Mutex::new(file)))
    }
}

impl LineLogEngine for FileLineEngine {
    fn lines(&self) -> Result<Vec<Vec<u8>>, String> {
        let mut file = self.0.lock().expect("nobody panics with it");
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.read_to_end(&mut bytes))
            .map_err(|error| error.to_string())?;
        // A line without its end was being written when the process was killed, so it was not acknowledged.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let cut = file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0)));
        cut.map_err(|error| error.to_string())?;
        bytes.truncate(whole);
        Ok(bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
    }

    fn append_line(&self, line: &[u8]) -> Result<(), String> {
        let mut file = self.0.lock().expect("nobody panics with it");
        let written = file.write_all(&[line, b"\n"].concat()).and_then(|()| file.sync_data());
        written.map_err(|error| error.to_string())
    }
}
