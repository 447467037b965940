//! What the program says about itself: a log, and one line when it breaks. The log goes to standard error, unless a person
//! looks at it: then it goes to a file in the folder of the data, and no line of it between what they read. With `log.file`
//! it goes to that file too where nobody looks, as beneath a service manager.
//!
//! The file is opened for each line, because several processes write it, and each may be the one that begins a new one.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::OnceLock;

use tracing::Level;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::environment::ProcessEnvironment;

/// The file's name; earlier ones have a number behind it, the latest 1.
const NAME: &str = "entracte.log";

/// Where the log goes once the configuration is read.
static PLACE: OnceLock<LogFileOptions> = OnceLock::new();

/// A log file, and how much is kept.
#[derive(Clone, Debug)]
pub(crate) struct LogFileOptions {
    /// The folder; it is made for the first line.
    pub(crate) folder: PathBuf,
    /// Bytes after which a new file begins.
    pub(crate) max_bytes: u64,
    /// Files that are kept, the present one included; 0 writes none.
    pub(crate) files: u32,
    /// It is written too where the log goes to standard error.
    pub(crate) always: bool,
}

/// Logs warnings; `ENTRACTE_LOG` says otherwise (`debug`, `entracte_application=trace`, …).
pub(crate) fn start(environment: &ProcessEnvironment) {
    let wanted = environment.variable("ENTRACTE_LOG").unwrap_or("warn");
    let filter = EnvFilter::try_new(wanted).unwrap_or_else(|_| EnvFilter::new("warn"));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(LogWriterFactory { is_looked_at: environment.stderr_terminal })
        .with_ansi(false);
    let harmless = filter_fn(|about| may_be_logged(about.target(), *about.level()));
    let started = tracing_subscriber::registry().with(filter).with(harmless).with(lines).try_init();
    if let Err(error) = started {
        tracing::debug!(%error, "logging is already set up");
    }
}

/// Whether it may be logged, whatever was asked. Below its warnings rmcp repeats messages of servers before secrets are
/// taken out of them, and of logins also codes.
fn may_be_logged(target: &str, level: Level) -> bool {
    let is_of = |module: &str| target == module || target.starts_with(&format!("{module}::"));
    if is_of("rmcp::transport::auth") || is_of("oauth2") {
        return false;
    }
    !is_of("rmcp") || level <= Level::WARN
}

/// From now on the log of a terminal goes there.
pub(crate) fn set_log_file(place: LogFileOptions) {
    // It is set once, by `main`.
    let _ = PLACE.set(place);
}

/// Where lines go.
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
            // A line that cannot be kept must not stand on the screen either.
            (true, None) => Box::new(io::sink()),
        }
    }
}

/// Writes to both. What one of them cannot take, the other one has.
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

    /// Where the data is on a server, nothing else makes it.
    fn make_folder(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.folder)
    }

    /// Each file takes the number after its own; the last one is gone.
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

/// A panic says where it was and nothing of what it was about: that may be a secret.
pub(crate) fn catch_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
        // A terminal that gave every key at once makes lines again.
        let _ = crossterm::terminal::disable_raw_mode();
        // Nobody can be told that standard error is gone.
        let _ = writeln!(
            io::stderr(),
            "error: internal error in Entracte ({place}); committed data is safe\n  entracte session verify --all"
        );
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_file_makes_room_and_only_so_many_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let place =
            LogFileOptions { folder: folder.path().to_owned(), max_bytes: 4, files: 2, always: false };
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
    fn nobody_else_may_read_the_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let place = LogFileOptions { folder: folder.path().to_owned(), max_bytes: 1, files: 3, always: true };
        for line in ["one\n", "two\n"] {
            place.open().unwrap().unwrap().write_all(line.as_bytes()).unwrap();
        }
        for name in ["entracte.log", "entracte.log.1"] {
            let mode = std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }

    #[test]
    fn what_one_cannot_take_the_other_one_has() {
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
