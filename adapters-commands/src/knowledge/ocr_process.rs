//! Runs the program that recognises words in pictures: the PDF on standard input, a PDF or text on standard output. There
//! is no shell, and no other environment; each of its processes has bounds of memory and processor time, which this
//! program sets for itself before it becomes the other one (`reader_main`).

use std::path::Path;

use entracte_application::ports::mebibytes;
use entracte_application::settings::OcrSettings;
#[cfg(unix)]
use nix::sys::signal::{Signal, killpg};
#[cfg(unix)]
use nix::unistd::Pid;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};

use super::reader_process::{isolate, read_limited};

/// The first argument of this program; the bounds, the other program and its arguments follow.
pub(super) const RUN_LIMITED: &str = "__limited";
/// The maximum number of bytes of standard error that an error quotes, from its end.
const COMPLAINT_MAX_BYTES: usize = 300;
const CHUNK_BYTES: usize = 4096;

/// The answer to a PDF, of at most this many bytes; the reason if there is none. Dropping the future kills the program
/// and what it started.
pub(super) async fn answer(
    own_program: &Path,
    settings: &OcrSettings,
    pdf: &[u8],
    most: u64,
) -> Result<Vec<u8>, String> {
    let Some(program) = &settings.program else { return Err("no program is configured".to_owned()) };
    let bounds = [settings.memory, settings.cpu_seconds()].map(|bound| bound.to_string());
    let mut command = Command::new(own_program);
    isolate(command.arg(RUN_LIMITED).args(bounds).arg(program).args(&settings.arguments));
    #[cfg(unix)]
    command.process_group(0);
    let not_started = |error: std::io::Error| format!("it cannot be started: {error}");
    let mut running = OcrProcess::of(command.spawn().map_err(not_started)?);
    let child = &mut running.child;
    let (Some(mut stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err("it has no pipes".to_owned());
    };
    let feed = async move {
        // A program that does not read its input is judged by its exit code.
        drop(stdin.write_all(pdf).await);
    };
    let (said, complained, ()) = tokio::join!(read_limited(stdout, most), read_end(stderr), feed);
    if said.len() as u64 > most {
        return Err(format!("it answered more than {} MiB (reader.output)", mebibytes(most)));
    }
    let status = child.wait().await.map_err(|error| error.to_string())?;
    if status.success() {
        return Ok(said);
    }
    let complained = complained.split_whitespace().collect::<Vec<_>>().join(" ");
    let separator = if complained.is_empty() { "" } else { ": " };
    Err(format!("it ended with {status}{separator}{complained}"))
}

/// Reads a stream to its end, and keeps its last bytes.
async fn read_end(mut from: impl AsyncRead + Unpin) -> String {
    let mut kept: Vec<u8> = Vec::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    // A broken stream counts as ended.
    while let Ok(length @ 1..) = from.read(&mut chunk).await {
        kept.extend(chunk.iter().take(length));
        kept.drain(..kept.len().saturating_sub(COMPLAINT_MAX_BYTES));
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// A running program in a process group of its own; dropping it kills the group.
struct OcrProcess {
    child: Child,
    #[cfg(unix)]
    group: Option<Pid>,
}

impl OcrProcess {
    fn of(child: Child) -> Self {
        Self {
            #[cfg(unix)]
            group: child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw),
            child,
        }
    }
}

#[cfg(unix)]
impl Drop for OcrProcess {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // The group may have exited already.
            let _ = killpg(group, Signal::SIGKILL);
        }
    }
}
