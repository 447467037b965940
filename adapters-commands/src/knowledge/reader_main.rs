//! The process that reads one document: what it does from its first instruction to its last.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};

use entracte_application::ports::{DocumentContent, DocumentConversionError, DocumentFormat};
use entracte_application::settings::ReaderSettings;
use entracte_domain::time::Millis;

use super::formats;
use super::reader_process::{READ, STACK};
use super::reader_protocol::written;

/// Reads the document on standard input, and writes what it says on standard output, when that is what the program was started
/// for (by [`DocumentReader::isolated_by`](super::DocumentReader::isolated_by)); gives its exit code then. `None` for every
/// other command line. Called first in `main`: no thread runs and no file is open when it takes away what it does not need.
pub fn serve_reading(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.into_iter().skip(1);
    if arguments.next()? != READ {
        return None;
    }
    let words: Vec<String> = arguments.filter_map(|argument| argument.into_string().ok()).collect();
    // Nobody reads what a panic says: it is an answer.
    std::panic::set_hook(Box::new(|_| {}));
    let Some((format, bounds)) = parse_arguments(&words) else { return Some(USAGE) };
    let read = limits::set(bounds)
        .map_err(DocumentConversionError::NotStarted)
        .and_then(|()| document(format, bounds));
    let Some(answer) = written(&read) else { return Some(FAILURE) };
    let mut out = std::io::stdout().lock();
    let done = out.write_all(answer.as_bytes()).and_then(|()| out.flush());
    Some(if done.is_ok() { 0 } else { FAILURE })
}

/// What is to be read, and within which bounds.
fn parse_arguments(words: &[String]) -> Option<(DocumentFormat, ReaderSettings)> {
    let [format, memory, cpu, output] = words else { return None };
    let cpu = Millis::seconds(cpu.parse().ok()?);
    let bounds = ReaderSettings { memory: memory.parse().ok()?, cpu, output: output.parse().ok()? };
    Some((DocumentFormat::from_word(format)?, bounds))
}

fn document(
    format: DocumentFormat,
    bounds: ReaderSettings,
) -> Result<DocumentContent, DocumentConversionError> {
    let unreadable = |why: String| DocumentConversionError::Unreadable { format, why };
    #[cfg(feature = "pdf")]
    memory_warnings::install();
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| unreadable(error.to_string()))?;
    let read = move || catch_unwind(AssertUnwindSafe(|| formats::read(format, bytes, bounds)));
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(read);
    let read = thread.map_err(|error| unreadable(error.to_string()))?.join();
    #[cfg(feature = "pdf")]
    if memory_warnings::has_memory_warning() {
        return Err(DocumentConversionError::Memory(bounds.memory));
    }
    match read {
        Ok(Ok(read)) => read,
        Ok(Err(_)) | Err(_) => Err(unreadable("it is damaged".to_owned())),
    }
}

/// What a library that unpacks a document says when it gets no memory: it goes on with what it has by then, and only warns.
#[cfg(feature = "pdf")]
mod memory_warnings {
    use std::sync::atomic::{AtomicBool, Ordering};

    static HEARD: AtomicBool = AtomicBool::new(false);
    static EAR: MemoryWarningLogger = MemoryWarningLogger;

    struct MemoryWarningLogger;

    impl log::Log for MemoryWarningLogger {
        fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
            metadata.level() <= log::Level::Warn
        }

        fn log(&self, record: &log::Record<'_>) {
            if self.enabled(record.metadata()) && record.args().to_string().contains("out of memory") {
                HEARD.store(true, Ordering::Relaxed);
            }
        }

        fn flush(&self) {}
    }

    pub(super) fn install() {
        if log::set_logger(&EAR).is_ok() {
            log::set_max_level(log::LevelFilter::Warn);
        }
    }

    pub(super) fn has_memory_warning() -> bool {
        HEARD.load(Ordering::Relaxed)
    }
}

#[cfg(unix)]
mod limits {
    use entracte_application::settings::ReaderSettings;
    use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};

    use super::STACK;

    /// Takes from this process what it does not need, for good: another file or connection than the three pipes that it has, a
    /// file that is written, an image of its memory; and bounds the memory that it may write to and its processor time.
    /// macOS holds no process to the bound of memory; the others count there, too.
    pub(super) fn set(bounds: ReaderSettings) -> Result<(), String> {
        let memory = bounds.memory.saturating_add(OWN_MEMORY);
        let seconds = bounds.cpu_seconds();
        // One second after the signal that says why, it is ended without one.
        let all = [
            (Resource::RLIMIT_CORE, 0, 0),
            (Resource::RLIMIT_FSIZE, 0, 0),
            (Resource::RLIMIT_NOFILE, PIPES, PIPES),
            (Resource::RLIMIT_CPU, seconds, seconds.saturating_add(1)),
            (Resource::RLIMIT_DATA, memory, memory),
        ];
        all.into_iter().try_for_each(|(resource, soft, hard)| set_one(resource, soft, hard))
    }

    /// Never above what the system allows this process already.
    fn set_one(resource: Resource, soft: rlim_t, hard: rlim_t) -> Result<(), String> {
        let failed = |error: nix::Error| format!("{resource:?}: {error}");
        let (_, most) = getrlimit(resource).map_err(failed)?;
        setrlimit(resource, soft.min(most), hard.min(most)).map_err(failed)
    }

    /// Standard input, output and error.
    const PIPES: rlim_t = 3;
    /// What the process takes without a document: the stack of its thread, and the segments of 32 MiB in which the allocator of
    /// the program takes memory, for each of three threads and one that is cut to its place.
    const OWN_MEMORY: rlim_t = STACK as rlim_t + 4 * (32 << 20);
}

#[cfg(not(unix))]
mod limits {
    use entracte_application::settings::ReaderSettings;

    /// This system has no such bounds: the time and the output of the process are bounded by whoever waits for it.
    pub(super) fn set(_: ReaderSettings) -> Result<(), String> {
        Ok(())
    }
}

/// The exit code of a process that was started wrongly.
const USAGE: u8 = 2;
/// The exit code of a process that could not answer.
const FAILURE: u8 = 1;
