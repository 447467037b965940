//! Runs the process that reads one document: this program again, with the document on standard input, the content on
//! standard output, and bounds enforced by the system. It has no environment, and opens no file and no connection.

#[cfg(unix)]
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;

use entracte_application::ports::{DocumentContent, DocumentConversionError, DocumentFormat};
use entracte_application::settings::ReaderSettings;
#[cfg(unix)]
use nix::sys::signal::Signal;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::reader_protocol::{self, HEAD_MAX_BYTES};
use crate::limited_program::{isolate, read_limited};

/// The first argument of the program; the format and the bounds follow.
pub(super) const READ: &str = "__read";
/// The stack size in bytes of a thread that reads a document: formats nest.
pub(super) const STACK: usize = 64 * 1024 * 1024;

/// Reads a document in a process of this program. Dropping the future kills the process.
pub(super) async fn read_in_subprocess(
    program: &Path,
    format: DocumentFormat,
    bytes: &[u8],
    bounds: ReaderSettings,
) -> Result<DocumentContent, DocumentConversionError> {
    let not_started = |error: std::io::Error| DocumentConversionError::NotStarted(error.to_string());
    let numbers = [bounds.memory, bounds.cpu_seconds(), bounds.output];
    let mut command = Command::new(program);
    command
        .arg(READ)
        .arg(format.word())
        .args(numbers.map(|number| number.to_string()))
        .arg(bounds.web_pages.word());
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
        // A structured answer is parsed, which takes a while.
        let parse = move || reader_protocol::read(format, said, bounds);
        let answer = tokio::task::spawn_blocking(parse).await.ok().flatten();
        return answer
            .unwrap_or_else(|| Err(DocumentConversionError::Crashed("without an answer".to_owned())));
    }
    Err(exit_reason(format, status, &String::from_utf8_lossy(&complained), bounds))
}

/// Why a process ended without a reply: one of its bounds, or a crash.
fn exit_reason(
    format: DocumentFormat,
    status: ExitStatus,
    complained: &str,
    bounds: ReaderSettings,
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
        let why = "its parts are too deep in one another".to_owned();
        return DocumentConversionError::Unreadable { format, why };
    }
    DocumentConversionError::Crashed(status.to_string())
}

/// The most bytes of standard error that are read.
const COMPLAINT_MAX_BYTES: u64 = 4096;
