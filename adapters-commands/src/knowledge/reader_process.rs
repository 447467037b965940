//! Runs the process that reads one document or converts one image: this program again, with the bytes on standard input, the
//! result on standard output, and bounds enforced by the system. It has no environment, and opens no file and no connection.

#[cfg(unix)]
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;

use entracte_application::ports::{
    ConvertedImage, DocumentContent, DocumentConversionError, DocumentFormat, ImageConversion,
    ImageConversionError,
};
use entracte_application::settings::ReaderSettings;
#[cfg(unix)]
use nix::sys::signal::Signal;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::reader_protocol::{self, HEAD_MAX_BYTES};
use crate::limited_program::{isolate, read_limited};

/// The first argument of the program; the format and the bounds follow.
pub(super) const READ: &str = "__read";
/// The first argument of the program that converts an image; the conversion and the bounds follow.
pub(super) const CONVERT_IMAGE: &str = "__convert-image";
/// The stack size in bytes of a thread that reads a document: formats nest.
pub(super) const STACK: usize = 64 * 1024 * 1024;

/// Reads a document in a process of this program. Dropping the future kills the process.
pub(super) async fn read_in_subprocess(
    program: &Path,
    format: DocumentFormat,
    bytes: &[u8],
    bounds: ReaderSettings,
) -> Result<DocumentContent, DocumentConversionError> {
    let numbers = [bounds.memory, bounds.cpu_seconds(), bounds.output];
    let mut command = Command::new(program);
    command
        .arg(READ)
        .arg(format.word())
        .args(numbers.map(|number| number.to_string()))
        .arg(bounds.web_pages.word());
    let too_deep = || DocumentConversionError::Unreadable { format, why: TOO_DEEP.to_owned() };
    let said = run_process(command, bytes, bounds, too_deep).await?;
    // A structured answer is parsed, which takes a while.
    let parse = move || reader_protocol::read(format, said, bounds);
    let answer = tokio::task::spawn_blocking(parse).await.ok().flatten();
    answer.unwrap_or_else(|| Err(no_answer()))
}

/// Converts an image in a process of this program. Dropping the future kills the process.
pub(super) async fn convert_in_subprocess(
    program: &Path,
    conversion: ImageConversion,
    bytes: &[u8],
    bounds: ReaderSettings,
) -> Result<ConvertedImage, ImageConversionError> {
    let ImageConversion { format, dimensions, orientation, side, bytes: most } = conversion;
    let bounds = ReaderSettings { output: most, ..bounds };
    let numbers = [
        bounds.memory,
        bounds.cpu_seconds(),
        dimensions.width.into(),
        dimensions.height.into(),
        orientation.exif().into(),
        side.into(),
        most,
    ];
    let mut command = Command::new(program);
    command.arg(CONVERT_IMAGE).arg(format.media_type()).args(numbers.map(|number: u64| number.to_string()));
    let too_deep = || DocumentConversionError::Crashed(TOO_DEEP.to_owned());
    let said = run_process(command, bytes, bounds, too_deep).await?;
    reader_protocol::read_image(said, bounds).unwrap_or_else(|| Err(no_answer().into()))
}

/// Runs a process within its bounds, with these bytes as its input, and returns its output.
async fn run_process(
    mut command: Command,
    bytes: &[u8],
    bounds: ReaderSettings,
    too_deep: impl FnOnce() -> DocumentConversionError,
) -> Result<Vec<u8>, DocumentConversionError> {
    let not_started = |error: std::io::Error| DocumentConversionError::NotStarted(error.to_string());
    let mut child = isolate(&mut command).spawn().map_err(not_started)?;
    let (Some(mut stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(DocumentConversionError::NotStarted("it has no pipes".to_owned()));
    };
    let feed = async move {
        // If the process has exited, its output gives the reason.
        drop(stdin.write_all(bytes).await);
    };
    let most = bounds.output.saturating_add(HEAD_MAX_BYTES);
    let (said, complained, ()) =
        tokio::join!(read_limited(stdout, most), read_limited(stderr, COMPLAINT_MAX_BYTES), feed);
    if said.len() as u64 > most {
        // Dropping the process kills it.
        return Err(DocumentConversionError::Output(bounds.output));
    }
    let status = child.wait().await.map_err(not_started)?;
    if status.success() {
        return Ok(said);
    }
    Err(exit_reason(status, &String::from_utf8_lossy(&complained), bounds, too_deep))
}

fn no_answer() -> DocumentConversionError {
    DocumentConversionError::Crashed("without an answer".to_owned())
}

/// Why a process ended without a reply: one of its bounds, or a crash.
fn exit_reason(
    status: ExitStatus,
    complained: &str,
    bounds: ReaderSettings,
    too_deep: impl FnOnce() -> DocumentConversionError,
) -> DocumentConversionError {
    #[cfg(unix)]
    if status.signal() == Some(Signal::SIGXCPU as i32) {
        return DocumentConversionError::Cpu(bounds.cpu);
    }
    // Rust writes this before it aborts a process that got no memory.
    if complained.contains("memory allocation of") {
        return DocumentConversionError::Memory(bounds.memory);
    }
    if complained.contains("overflowed its stack") {
        return too_deep();
    }
    DocumentConversionError::Crashed(status.to_string())
}

/// Why a process overflowed its stack.
const TOO_DEEP: &str = "its parts are too deep in one another";
/// The most bytes of standard error that are read.
const COMPLAINT_MAX_BYTES: u64 = 4096;
