//! Runs another program, or this one with another configuration, on a copy of the database.

use std::fs::File;
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};

use super::view::{SCHEMA, UpgradeSessionView, UpgradeViewHead};
use super::view_reader::read_view;
use super::{failed, shown};
use crate::args::UpgradeArgs;
use crate::error::{CliError, CliExitCode};
use crate::render::text::one_line;
use crate::user_text::message;

/// The most bytes of the other program's error output.
const ERROR_BYTES: u64 = 64 << 10;

/// How many bytes of the other program's output are in memory at a time.
const BUFFER_BYTES: usize = 64 << 10;

/// The file with the candidate's output, in the folder of its copy.
const ANSWER: &str = "view.json";

/// The upgrade candidate.
pub(super) struct UpgradeCandidate {
    program: PathBuf,
    /// Its configuration file; `None` for the one it finds by itself.
    config: Option<PathBuf>,
    /// The program or file as the person named it.
    named: PathBuf,
}

impl UpgradeCandidate {
    /// A file name ending in `.toml` is a configuration for this program; any other is a program, used with the
    /// current configuration.
    pub(super) fn find(named: &Path, config: Option<&Path>) -> Result<Self, CliError> {
        if !named.is_file() {
            return Err(CliError::new(
                CliExitCode::NotFound,
                message!("upgrade-no-file", file = shown(named)),
            ));
        }
        let (named, config) = (named.to_owned(), config.map(Path::to_owned));
        if named.extension().is_some_and(|extension| extension == "toml") {
            let program = std::env::current_exe().map_err(|error| failed(&error))?;
            return Ok(Self { program, config: Some(named.clone()), named });
        }
        // A name without a folder is the file here, not a program of the same name in PATH.
        let program = std::path::absolute(&named).map_err(|error| failed(&error))?;
        Ok(Self { program, config, named })
    }

    /// The name as the person gave it.
    pub(super) fn shown(&self) -> String {
        shown(&self.named)
    }

    /// Lets the candidate look at the copy in `folder`, and gives each session of its view to `take`.
    pub(super) async fn view(
        &self,
        folder: &Path,
        args: &UpgradeArgs,
        mut take: impl FnMut(UpgradeSessionView) -> Result<(), CliError>,
    ) -> Result<UpgradeViewHead, CliError> {
        let mut command = Command::new(&self.program);
        if let Some(config) = &self.config {
            command.arg("--config").arg(config);
        }
        command.arg("--json").arg("upgrade-view").arg(folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let child = command.spawn().map_err(|error| self.fault(&error.to_string()))?;
        let within = Duration::from_secs(args.within.into());
        let answer = folder.join(ANSWER);
        let ends = self.keep_answer(child, u64::from(args.most_mb) << 20, &answer);
        let Ok(ended) = tokio::time::timeout(within, ends).await else {
            let text = message!("upgrade-late", other = self.shown(), seconds = u64::from(args.within));
            return Err(CliError::new(CliExitCode::TimedOut, text));
        };
        let (status, complained) = ended?;
        let text = File::open(&answer).map_err(|error| failed(&error))?;
        let mut taken = Ok(());
        let head = read_view(BufReader::new(text), &mut |session| {
            if taken.is_ok() {
                taken = take(session);
            }
        });
        taken?;
        match head {
            Ok(head) if status.success() && head.schema == SCHEMA => Ok(head),
            Ok(_) | Err(_) => {
                let why = String::from_utf8_lossy(&complained);
                let why = why.lines().next().map(one_line).filter(|line| !line.is_empty());
                Err(self.fault(&why.unwrap_or_else(|| status.to_string())))
            }
        }
    }

    /// Writes at most so many bytes of the candidate's output into a file; returns how it ended, and its error output.
    async fn keep_answer(
        &self,
        mut child: Child,
        most: u64,
        answer: &Path,
    ) -> Result<(ExitStatus, Vec<u8>), CliError> {
        let mut file = File::create(answer).map_err(|error| failed(&error))?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let (kept, complained) = tokio::join!(copy(out, most, &mut file), read(err, ERROR_BYTES));
        kept.map_err(|error| failed(&error))?;
        let status = child.wait().await.map_err(|error| self.fault(&error.to_string()))?;
        Ok((status, complained))
    }

    fn fault(&self, why: &str) -> CliError {
        CliError::new(CliExitCode::Failure, message!("upgrade-not-asked", other = self.shown(), why = why))
    }
}

/// Reads up to a limit and closes the stream, so that a longer writer gets a broken pipe.
async fn read(stream: Option<impl AsyncRead + Unpin>, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        // The bytes read before an error are all there is.
        let _ = stream.take(most).read_to_end(&mut bytes).await;
    }
    bytes
}

/// Copies up to a limit and closes the stream, so that a longer writer gets a broken pipe.
async fn copy(stream: Option<impl AsyncRead + Unpin>, most: u64, file: &mut File) -> std::io::Result<()> {
    let Some(stream) = stream else { return Ok(()) };
    let (mut stream, mut buffer) = (stream.take(most), vec![0; BUFFER_BYTES]);
    loop {
        // The bytes read before an error are all there is.
        let bytes = stream.read(&mut buffer).await.unwrap_or_default();
        if bytes == 0 {
            return Ok(());
        }
        file.write_all(&buffer[..bytes])?;
    }
}
