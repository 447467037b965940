//! Files of a comparison, so that memory holds one session of each program at a time.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Result, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::view::UpgradeSessionView;

/// Where a session stands in its file.
#[derive(Clone, Copy, Debug)]
struct SpoolPlace {
    begins: u64,
    bytes: usize,
}

/// Writes the sessions of a view into a file.
pub(super) struct SessionSpoolWriter {
    path: PathBuf,
    file: BufWriter<File>,
    places: BTreeMap<String, SpoolPlace>,
    end: u64,
}

impl SessionSpoolWriter {
    /// An empty file at `path`.
    pub(super) fn create(path: PathBuf) -> Result<Self> {
        let file = BufWriter::new(File::create(&path)?);
        Ok(Self { path, file, places: BTreeMap::new(), end: 0 })
    }

    /// Adds a session.
    pub(super) fn push(&mut self, session: &UpgradeSessionView) -> Result<()> {
        let text = serde_json::to_vec(session)?;
        self.file.write_all(&text)?;
        let place = SpoolPlace { begins: self.end, bytes: text.len() };
        self.end += u64::try_from(text.len()).unwrap_or(u64::MAX);
        self.places.insert(session.id.clone(), place);
        Ok(())
    }

    /// The sessions, to be read.
    pub(super) fn finish(mut self) -> Result<SessionSpool> {
        self.file.flush()?;
        Ok(SessionSpool { file: File::open(&self.path)?, sessions: self.places.len(), places: self.places })
    }
}

/// The sessions of a view in a file, found by their ids.
pub(super) struct SessionSpool {
    file: File,
    /// How many sessions the view has.
    pub(super) sessions: usize,
    /// The sessions that were not taken yet.
    places: BTreeMap<String, SpoolPlace>,
}

impl SessionSpool {
    /// Takes a session out; `None` if the view does not have it, or it was taken.
    pub(super) fn take(&mut self, id: &str) -> Result<Option<UpgradeSessionView>> {
        let Some(place) = self.places.remove(id) else { return Ok(None) };
        let mut text = vec![0; place.bytes];
        self.file.seek(SeekFrom::Start(place.begins))?;
        self.file.read_exact(&mut text)?;
        Ok(Some(serde_json::from_slice(&text)?))
    }

    /// The ids of the sessions that were not taken, in the order of the view.
    pub(super) fn into_left_ids(self) -> Vec<String> {
        let mut left: Vec<(String, SpoolPlace)> = self.places.into_iter().collect();
        left.sort_by_key(|(_, place)| place.begins);
        left.into_iter().map(|(id, _)| id).collect()
    }
}

/// Lines of a report in a file.
pub(super) struct LineSpool {
    path: PathBuf,
    file: BufWriter<File>,
    /// How many lines there are.
    pub(super) lines: usize,
}

impl LineSpool {
    /// An empty file at `path`.
    pub(super) fn create(path: &Path) -> Result<Self> {
        Ok(Self { path: path.to_owned(), file: BufWriter::new(File::create(path)?), lines: 0 })
    }

    /// Adds a line, which contains no line end.
    pub(super) fn push(&mut self, line: &str) -> Result<()> {
        self.lines += 1;
        writeln!(self.file, "{line}")
    }

    /// The lines in order.
    pub(super) fn read(mut self) -> Result<impl Iterator<Item = Result<String>>> {
        self.file.flush()?;
        Ok(BufReader::new(File::open(&self.path)?).lines())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_found_by_id() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = SessionSpoolWriter::create(folder.path().join("sessions")).unwrap();
        for (id, phase) in [("ses_c", "IDLE"), ("ses_a", "CALLING_AI"), ("ses_b", "PARKED")] {
            let (id, phase) = (id.to_owned(), phase.to_owned());
            writer.push(&UpgradeSessionView { id, phase, ..UpgradeSessionView::default() }).unwrap();
        }
        let mut spool = writer.finish().unwrap();
        assert_eq!(spool.sessions, 3);
        assert_eq!(spool.take("ses_a").unwrap().unwrap().phase, "CALLING_AI");
        assert!(spool.take("ses_a").unwrap().is_none() && spool.take("ses_d").unwrap().is_none());
        assert_eq!(spool.into_left_ids(), ["ses_c", "ses_b"]);
    }

    #[test]
    fn lines_are_read_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = LineSpool::create(&folder.path().join("lines")).unwrap();
        for line in ["one", "", "three"] {
            spool.push(line).unwrap();
        }
        assert_eq!(spool.lines, 3);
        let lines: Vec<String> = spool.read().unwrap().map(|line| line.unwrap()).collect();
        assert_eq!(lines, ["one", "", "three"]);
    }
}
