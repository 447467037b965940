//! The process that reads one document or converts one image, from start to exit.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};

use entracte_application::knowledge::{DocumentPanic, catch_document_panic};
use entracte_application::ports::{
    DocumentConversionError, DocumentFormat, ExifOrientation, ImageConversion, ImageFormat,
};
use entracte_application::settings::{OcrSettings, ReaderSettings, WebPageScope};
use entracte_domain::file::PixelDimensions;
use entracte_domain::time::Millis;

use super::reader_process::{CONVERT_IMAGE, READ, STACK};
use super::reader_protocol::{written, written_image};
use super::{formats, image_conversion};
use crate::limited_program::RUN_LIMITED;

/// Reads the document or converts the image on standard input and writes the result to standard output, or runs another
/// program with bounds, if the program was started for that (by
/// [`DocumentReader::isolated_by`](super::DocumentReader::isolated_by)); returns the exit code then. `None` for every other
/// command line. Call it first in `main`: it drops privileges before any thread runs and any file is open.
pub fn serve_reading(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.into_iter().skip(1);
    let first = arguments.next()?;
    if first == RUN_LIMITED {
        return Some(run_limited(arguments));
    }
    let is_image = first == CONVERT_IMAGE;
    if first != READ && !is_image {
        return None;
    }
    let words: Vec<String> = arguments.filter_map(|argument| argument.into_string().ok()).collect();
    // The panic text is not needed: a panic becomes an error reply.
    std::panic::set_hook(Box::new(|_| {}));
    let answer = if is_image {
        let Some((conversion, bounds)) = parse_conversion(&words) else { return Some(USAGE) };
        let convert = move |bytes| image_conversion::convert(conversion, bytes, bounds);
        written_image(&handle_input(bounds, convert).unwrap_or_else(|error| Err(error.into())))
    } else {
        let Some((format, bounds)) = parse_arguments(&words) else { return Some(USAGE) };
        let read = move |bytes| formats::read(format, bytes, bounds);
        written(&handle_input(bounds, read).unwrap_or_else(Err)).map(String::into_bytes)
    };
    let Some(answer) = answer else { return Some(FAILURE) };
    let mut out = std::io::stdout().lock();
    let done = out.write_all(&answer).and_then(|()| out.flush());
    Some(if done.is_ok() { 0 } else { FAILURE })
}

/// Bounds this process, and becomes another program; returns the exit code if that fails.
fn run_limited(mut arguments: impl Iterator<Item = OsString>) -> u8 {
    let mut number = || arguments.next()?.to_str()?.parse::<u64>().ok();
    let (Some(memory), Some(cpu)) = (number(), number()) else { return USAGE };
    let cpu = Millis(i64::try_from(cpu.saturating_mul(1000)).unwrap_or(i64::MAX));
    let bounds = OcrSettings { memory, cpu, ..OcrSettings::default() };
    let Some(program) = arguments.next() else { return USAGE };
    let failure = match limits::set_for_program(&bounds) {
        Ok(()) => become_program(&program, arguments),
        Err(why) => why,
    };
    // The parent process tells it.
    drop(writeln!(std::io::stderr(), "{}: {failure}", program.to_string_lossy()));
    FAILURE
}

/// Replaces this process by another program; returns the reason if that fails.
#[cfg(unix)]
fn become_program(program: &OsString, arguments: impl Iterator<Item = OsString>) -> String {
    use std::os::unix::process::CommandExt as _;
    let mut command = std::process::Command::new(program);
    command.args(arguments).env_clear().envs(PROGRAM_ENVIRONMENT).exec().to_string()
}

#[cfg(not(unix))]
fn become_program(_: &OsString, _: impl Iterator<Item = OsString>) -> String {
    "this system has no bounds for other programs".to_owned()
}

/// The environment of another program: where programs are, and that texts are UTF-8.
#[cfg(unix)]
const PROGRAM_ENVIRONMENT: [(&str, &str); 2] =
    [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("LC_ALL", "C.UTF-8")];

/// The format to read, and the bounds.
fn parse_arguments(words: &[String]) -> Option<(DocumentFormat, ReaderSettings)> {
    let [format, memory, cpu, output, web_pages] = words else { return None };
    let cpu = Millis::seconds(cpu.parse().ok()?);
    let web_pages = WebPageScope::from_word(web_pages)?;
    let bounds =
        ReaderSettings { memory: memory.parse().ok()?, cpu, output: output.parse().ok()?, web_pages };
    Some((DocumentFormat::from_word(format)?, bounds))
}

/// The conversion of an image, and the bounds.
fn parse_conversion(words: &[String]) -> Option<(ImageConversion, ReaderSettings)> {
    let [format, memory, cpu, width, height, orientation, side, bytes] = words else { return None };
    let conversion = ImageConversion {
        format: ImageFormat::from_media_type(format)?,
        dimensions: PixelDimensions { width: width.parse().ok()?, height: height.parse().ok()? },
        orientation: ExifOrientation::from_exif(orientation.parse().ok()?)?,
        side: side.parse().ok()?,
        bytes: bytes.parse().ok()?,
    };
    let cpu = Millis::seconds(cpu.parse().ok()?);
    Some((conversion, ReaderSettings { memory: memory.parse().ok()?, cpu, ..ReaderSettings::default() }))
}

/// Bounds this process for good, and handles its input on a thread with a deep stack.
fn handle_input<T: Send + 'static>(
    bounds: ReaderSettings,
    handle: impl FnOnce(Vec<u8>) -> T + Send + 'static,
) -> Result<T, DocumentConversionError> {
    let bounded = limits::set(bounds).and_then(|()| parent_watch::start());
    bounded.map_err(DocumentConversionError::NotStarted)?;
    let not_started = |error: std::io::Error| DocumentConversionError::NotStarted(error.to_string());
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(not_started)?;
    let handle = move || catch_document_panic(|| handle(bytes));
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(handle).map_err(not_started)?;
    match thread.join() {
        Ok(Ok(handled)) => Ok(handled),
        Ok(Err(DocumentPanic)) | Err(_) => Err(DocumentConversionError::Crashed(DocumentPanic.to_string())),
    }
}

#[cfg(unix)]
mod limits {
    use entracte_application::settings::{OcrSettings, ReaderSettings};
    use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};

    use super::STACK;

    /// Restricts this process for good: no file or connection besides its three pipes, no written file, no core dump;
    /// and bounds its writable memory and its processor time. macOS does not enforce the memory bound; the others
    /// hold there too.
    pub(super) fn set(bounds: ReaderSettings) -> Result<(), String> {
        let memory = bounds.memory.saturating_add(OWN_MEMORY);
        let seconds = bounds.cpu_seconds();
        // The process is killed one second after the signal that reports the time limit.
        let all = [
            (Resource::RLIMIT_CORE, 0, 0),
            (Resource::RLIMIT_FSIZE, 0, 0),
            (Resource::RLIMIT_NOFILE, PIPES, PIPES),
            (Resource::RLIMIT_CPU, seconds, seconds.saturating_add(1)),
            (Resource::RLIMIT_DATA, memory, memory),
        ];
        all.into_iter().try_for_each(|(resource, soft, hard)| set_one(resource, soft, hard))
    }

    /// Bounds the memory and the processor time of each process of the program that follows.
    pub(super) fn set_for_program(bounds: &OcrSettings) -> Result<(), String> {
        let seconds = bounds.cpu_seconds();
        let all = [
            (Resource::RLIMIT_CORE, 0, 0),
            (Resource::RLIMIT_CPU, seconds, seconds.saturating_add(1)),
            (Resource::RLIMIT_DATA, bounds.memory, bounds.memory),
        ];
        all.into_iter().try_for_each(|(resource, soft, hard)| set_one(resource, soft, hard))
    }

    /// Sets a limit, never above the one this process already has.
    fn set_one(resource: Resource, soft: rlim_t, hard: rlim_t) -> Result<(), String> {
        let failed = |error: nix::Error| format!("{resource:?}: {error}");
        let (_, most) = getrlimit(resource).map_err(failed)?;
        setrlimit(resource, soft.min(most), hard.min(most)).map_err(failed)
    }

    /// Open files: standard input, output and error.
    const PIPES: rlim_t = 3;
    /// The memory of the process without a document: its thread's stack, and the 32 MiB segments of the allocator,
    /// one for each of four threads and one lost to alignment.
    const OWN_MEMORY: rlim_t = STACK as rlim_t + 5 * (32 << 20);
}

#[cfg(unix)]
mod parent_watch {
    use std::os::fd::AsFd as _;

    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    use super::FAILURE;

    /// Ends this process as soon as the reading end of its output is closed, so that it does not outlive a parent
    /// process that was killed.
    pub(super) fn start() -> Result<(), String> {
        let thread = std::thread::Builder::new().stack_size(WATCH_STACK).spawn(watch);
        thread.map(drop).map_err(|error| error.to_string())
    }

    fn watch() {
        let output = std::io::stdout();
        loop {
            // Without requested events, only the closing of the other end is reported.
            let mut ends = [PollFd::new(output.as_fd(), PollFlags::empty())];
            match poll(&mut ends, PollTimeout::NONE) {
                Err(Errno::EINTR) => {}
                Ok(_) => std::process::exit(FAILURE.into()),
                // Then the bound of processor time ends the process.
                Err(_) => return,
            }
        }
    }

    /// The stack size in bytes of the watching thread.
    const WATCH_STACK: usize = 64 * 1024;
}

#[cfg(not(unix))]
mod parent_watch {
    /// This system reports a closed output only at the next write.
    pub(super) fn start() -> Result<(), String> {
        Ok(())
    }
}

#[cfg(not(unix))]
mod limits {
    use entracte_application::settings::{OcrSettings, ReaderSettings};

    /// This system has no such limits, so no other program is run.
    pub(super) fn set_for_program(_: &OcrSettings) -> Result<(), String> {
        Ok(())
    }

    /// This system has no such limits: the parent process bounds time and output.
    pub(super) fn set(_: ReaderSettings) -> Result<(), String> {
        Ok(())
    }
}

/// Exit code of a wrong command line.
const USAGE: u8 = 2;
/// Exit code when no reply could be written.
const FAILURE: u8 = 1;
