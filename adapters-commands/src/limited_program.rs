//! Runs another program that the operator named, without a shell and without an environment. Each of its processes has
//! bounds of memory and processor time, which this program sets for itself before it becomes the other one
//! (`knowledge::serve_reading`).

use std::path::Path;
use std::process::{ExitStatus, Stdio};

#[cfg(unix)]
use nix::sys::signal::{Signal, killpg};
#[cfg(unix)]
use nix::unistd::Pid;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};

/// The first argument of this program; the bounds, the other program and its arguments follow.
pub(crate) const RUN_LIMITED: &str = "__limited";
/// The maximum number of bytes of standard error that a fault quotes, from its end.
const COMPLAINT_MAX_BYTES: usize = 300;
const CHUNK_BYTES: usize = 4096;

/// The environment of the process. It makes the program's allocator take memory as it is used, instead of a gigabyte
/// at the start, so that a memory bound counts it and is met by a failed allocation.
const ENVIRONMENT: [(&str, &str); 2] =
    [("MIMALLOC_DISALLOW_ARENA_ALLOC", "1"), ("MIMALLOC_EAGER_COMMIT_DELAY", "0")];

/// A program with its arguments and its bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitedProgram<'a> {
    /// This program, which sets the bounds.
    pub(crate) launcher: &'a Path,
    /// The program: a path, or a name in the usual folders of programs.
    pub(crate) program: &'a str,
    /// Its arguments.
    pub(crate) arguments: &'a [String],
    /// The memory of each of its processes, in bytes.
    pub(crate) memory: u64,
    /// The processor time of each of its processes, in seconds.
    pub(crate) cpu_seconds: u64,
}

/// Why a program gave no answer.
#[derive(Debug)]
pub(crate) enum ProgramFault {
    /// It cannot be started.
    NotStarted(std::io::Error),
    /// It was started without pipes.
    NoPipes,
    /// Its answer is larger than allowed.
    TooLarge,
    /// Its end cannot be learned.
    Lost(std::io::Error),
    /// It ended with an error.
    Failed {
        /// Its status.
        status: ExitStatus,
        /// The end of what it wrote to standard error, on one line.
        complaint: String,
    },
}

impl LimitedProgram<'_> {
    /// The answer on standard output, of at most `most` bytes, to this standard input. Dropping the future kills the program
    /// and what it started.
    pub(crate) async fn run(&self, input: &[u8], most: u64) -> Result<Vec<u8>, ProgramFault> {
        let bounds = [self.memory, self.cpu_seconds].map(|bound| bound.to_string());
        let mut command = Command::new(self.launcher);
        isolate(command.arg(RUN_LIMITED).args(bounds).arg(self.program).args(self.arguments));
        #[cfg(unix)]
        command.process_group(0);
        let mut running = GroupedProcess::of(command.spawn().map_err(ProgramFault::NotStarted)?);
        let child = &mut running.child;
        let (Some(mut stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(ProgramFault::NoPipes);
        };
        let feed = async move {
            // A program that does not read its input is judged by its exit code.
            drop(stdin.write_all(input).await);
        };
        let (said, complained, ()) = tokio::join!(read_limited(stdout, most), read_end(stderr), feed);
        if said.len() as u64 > most {
            return Err(ProgramFault::TooLarge);
        }
        let status = child.wait().await.map_err(ProgramFault::Lost)?;
        if status.success() {
            return Ok(said);
        }
        let complaint = complained.split_whitespace().collect::<Vec<_>>().join(" ");
        Err(ProgramFault::Failed { status, complaint })
    }
}

/// Gives a process pipes and no environment but that of the allocator. Dropping the process kills it.
pub(crate) fn isolate(command: &mut Command) -> &mut Command {
    command
        .env_clear()
        .envs(ENVIRONMENT)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
}

/// Reads one byte more than `most` at most, then closes the stream.
pub(crate) async fn read_limited(from: impl AsyncRead + Unpin, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A broken stream counts as ended.
    drop(from.take(most.saturating_add(1)).read_to_end(&mut bytes).await);
    bytes
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
struct GroupedProcess {
    child: Child,
    #[cfg(unix)]
    group: Option<Pid>,
}

impl GroupedProcess {
    fn of(child: Child) -> Self {
        Self {
            #[cfg(unix)]
            group: child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw),
            child,
        }
    }
}

#[cfg(unix)]
impl Drop for GroupedProcess {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // The group may have exited already.
            let _ = killpg(group, Signal::SIGKILL);
        }
    }
}
