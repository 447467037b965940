//! The log of the program, and one line on a panic. The log goes to standard error, unless that is a terminal: then
//! it goes to a file in the data folder, so that no log line mixes with the display. With `log.file` it goes to that
//! file too without a terminal, as under a service manager.
//!
//! The file is opened for each line, because several processes write it, and each may rotate it.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::OnceLock;

use entracte_application::knowledge::is_document_panic;
use tracing::Level;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::environment::ProcessEnvironment;
use crate::log_ring::{LogRingBounds, LogRingLayer, set_bounds};

/// The name of the log file; rotated files have a number appended, 1 is the latest.
const NAME: &str = "entracte.log";

/// The levels without `ENTRACTE_LOG`. rmcp reports the failures of connections that its caller reports in our words.
const DEFAULT_LEVELS: &str = "warn,rmcp=off";

/// The log file, set once the configuration is read.
static PLACE: OnceLock<LogFileOptions> = OnceLock::new();

/// A log file and its rotation.
#[derive(Clone, Debug)]
pub(crate) struct LogFileOptions {
    /// The folder, created for the first line.
    pub(crate) folder: PathBuf,
    /// The size in bytes after which the file is rotated.
    pub(crate) max_bytes: u64,
    /// The number of files, including the current one; 0 disables the file.
    pub(crate) files: u32,
    /// Whether the file is written even if the log also goes to standard error.
    pub(crate) always: bool,
    /// How much of the log the process keeps in memory.
    pub(crate) recent: LogRingBounds,
}

/// Starts logging of warnings; `ENTRACTE_LOG` sets other levels (`debug`, `entracte_application=trace`, …).
pub(crate) fn start(environment: &ProcessEnvironment) {
    let wanted = environment.variable("ENTRACTE_LOG");
    let filter = wanted.map(EnvFilter::try_new);
    let invalid = filter.as_ref().and_then(|filter| filter.as_ref().err()).map(ToString::to_string);
    let filter = filter.and_then(Result::ok).unwrap_or_else(|| EnvFilter::new(DEFAULT_LEVELS));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(LogWriterFactory { is_looked_at: environment.stderr_terminal })
        .with_ansi(false);
    let harmless = filter_fn(|about| may_be_logged(about.target(), *about.level()));
    let log = tracing_subscriber::registry().with(filter).with(harmless).with(lines);
    let started = log.with(LogRingLayer).try_init();
    if let Err(error) = started {
        tracing::debug!(%error, "logging is already set up");
    }
    if let Some(error) = invalid {
        tracing::warn!(error, "ENTRACTE_LOG cannot be read, so warnings are logged");
    }
}

/// Whether a target may be logged at this level, whatever was configured. Below warnings rmcp logs server messages
/// before secrets are scrubbed, and codes of logins.
fn may_be_logged(target: &str, level: Level) -> bool {
    let is_of = |module: &str| target == module || target.starts_with(&format!("{module}::"));
    if is_of("rmcp::transport::auth") || is_of("oauth2") {
        return false;
    }
    !is_of("rmcp") || level <= Level::WARN
}

/// Sets the log file for processes on a terminal.
pub(crate) fn set_log_file(place: LogFileOptions) {
    set_bounds(place.recent);
    // `main` sets it only once.
    let _ = PLACE.set(place);
}

/// Chooses the destination of log lines.
struct LogWriterFactory {
    is_looked_at: bool,
}

impl<'a> MakeWriter<'a> for LogWriterFactory {
    type Writer = Box<dyn Write + 'a>;

    fn make_writer(&'a self) -> Self::Writer {
        let place = PLACE.get().filter(|place| self.is_looked_at || place.always);
        let file = place.and_then(|place| place.open().ok().flatten());
        match (self.is_looked_at, file) {
            (false, None) => Box::new(io::stderr()),
            (false, Some(file)) => Box::new(TeeWriter(io::stderr(), file)),
            (true, Some(file)) => Box::new(file),
            // A line that cannot be written to the file must not appear on the screen either.
            (true, None) => Box::new(io::sink()),
        }
    }
}

/// Writes to both; an error of one does not affect the other.
struct TeeWriter<A, B>(A, B);

impl<A: Write, B: Write> Write for TeeWriter<A, B> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (one, other) = (self.0.write_all(bytes), self.1.write_all(bytes));
        one.or(other).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let (one, other) = (self.0.flush(), self.1.flush());
        one.or(other)
    }
}

impl LogFileOptions {
    /// The current file.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    fn open(&self) -> io::Result<Option<File>> {
        if self.files == 0 {
            return Ok(None);
        }
        if !self.folder.is_dir() {
            self.make_folder()?;
        }
        let file = self.folder.join(NAME);
        if std::fs::metadata(&file).is_ok_and(|known| known.len() >= self.max_bytes) {
            self.rotate()?;
        }
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        options.open(file).map(Some)
    }

    /// Creates the folder; with a database server nothing else creates it.
    fn make_folder(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.folder)
    }

    /// Rotates the files by incrementing their numbers; the oldest one is deleted.
    fn rotate(&self) -> io::Result<()> {
        let name = |number: u32| match number {
            0 => self.folder.join(NAME),
            number => self.folder.join(format!("{NAME}.{number}")),
        };
        for number in (0..self.files).rev() {
            let (from, to) = (name(number), name(number + 1));
            if !from.exists() {
                continue;
            }
            match number + 1 == self.files {
                true => std::fs::remove_file(&from)?,
                false => std::fs::rename(&from, &to)?,
            }
        }
        Ok(())
    }
}

/// Makes a panic report its location but not its message, which may contain a secret. A panic on the content of a
/// document is reported by the command, with the document's name.
pub(crate) fn catch_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|at| format!("{}:{}", source_file(at.file()), at.line()));
        let place = place.unwrap_or_default();
        if is_document_panic() {
            tracing::debug!(place, "a document made its reader panic");
            return;
        }
        // Raw mode must end before lines are written.
        let _ = crossterm::terminal::disable_raw_mode();
        // A closed standard error cannot be reported.
        let _ = writeln!(
            io::stderr(),
            "error: internal error in Entracte ({place}); committed data is safe\n  entracte session verify --all"
        );
    }));
}

/// The path of a source file within its crate: `crate/src/file.rs`. The folders before it are those of the machine that
/// built the program.
fn source_file(path: &str) -> String {
    let parts: Vec<&str> = path.split(['/', '\\']).collect();
    let name = parts.len().saturating_sub(1);
    let begin = parts.iter().rposition(|part| *part == "src").map_or(name, |source| source.saturating_sub(1));
    parts.get(begin..).unwrap_or_default().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_folder(folder: &std::path::Path) -> LogFileOptions {
        let recent = LogRingBounds::default();
        LogFileOptions { folder: folder.to_owned(), max_bytes: 1, files: 1, always: false, recent }
    }

    #[test]
    fn panic_place_has_no_folder_of_the_build_machine() {
        let registry = "/home/me/.cargo/registry/src/index.example-1/font-0.4.0/src/table/cmap.rs";
        assert_eq!(source_file(registry), "font-0.4.0/src/table/cmap.rs");
        assert_eq!(source_file("/rustc/1a2b/library/core/src/slice/index.rs"), "core/src/slice/index.rs");
        assert_eq!(source_file("entracte/src/logging.rs"), "entracte/src/logging.rs");
        assert_eq!(source_file("C:\\Users\\me\\build.rs"), "build.rs");
        assert_eq!(source_file(""), "");
    }

    #[test]
    fn full_file_rotates_within_file_limit() {
        let folder = tempfile::tempdir().unwrap();
        let place = LogFileOptions { max_bytes: 4, files: 2, always: false, ..in_folder(folder.path()) };
        for line in ["one\n", "two\n", "three\n"] {
            place.open().unwrap().unwrap().write_all(line.as_bytes()).unwrap();
        }
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).ok();
        assert_eq!(read("entracte.log").as_deref(), Some("three\n"));
        assert_eq!(read("entracte.log.1").as_deref(), Some("two\n"));
        assert_eq!(read("entracte.log.2"), None);
        assert!(LogFileOptions { files: 0, ..place.clone() }.open().unwrap().is_none());
        let new = LogFileOptions { folder: folder.path().join("new"), ..place };
        assert!(new.open().unwrap().is_some(), "its folder is made");
    }

    #[cfg(unix)]
    #[test]
    fn log_file_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let place = LogFileOptions { max_bytes: 1, files: 3, always: true, ..in_folder(folder.path()) };
        for line in ["one\n", "two\n"] {
            place.open().unwrap().unwrap().write_all(line.as_bytes()).unwrap();
        }
        for name in ["entracte.log", "entracte.log.1"] {
            let mode = std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }

    #[test]
    fn tee_writes_despite_one_failure() {
        struct FullDiskWriter;
        impl Write for FullDiskWriter {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Err(io::ErrorKind::StorageFull.into())
            }
        }
        let mut kept = Vec::new();
        TeeWriter(FullDiskWriter, &mut kept).write_all(b"a line\n").unwrap();
        assert_eq!(kept, b"a line\n");
        assert!(TeeWriter(FullDiskWriter, FullDiskWriter).write_all(b"a line\n").is_err());
    }
}
