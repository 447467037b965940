//! Runs another program, or this one with another configuration, on a copy of the database.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};

use super::view::{SCHEMA, UpgradeView};
use super::{failed, shown};
use crate::args::UpgradeArgs;
use crate::error::{CliError, CliExitCode};
use crate::render::text::one_line;
use crate::user_text::message;

/// The most bytes of the other program's error output.
const ERROR_BYTES: u64 = 64 << 10;

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

    /// The candidate's view of the copy in `folder`.
    pub(super) async fn view(&self, folder: &Path, args: &UpgradeArgs) -> Result<UpgradeView, CliError> {
        let mut command = Command::new(&self.program);
        if let Some(config) = &self.config {
            command.arg("--config").arg(config);
        }
        command.arg("--json").arg("upgrade-view").arg(folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let child = command.spawn().map_err(|error| self.fault(&error.to_string()))?;
        let within = Duration::from_secs(args.within.into());
        let most = u64::from(args.most_mb) << 20;
        match tokio::time::timeout(within, self.said(child, most)).await {
            Ok(view) => view,
            Err(_) => {
                let text = message!("upgrade-late", other = self.shown(), seconds = u64::from(args.within));
                Err(CliError::new(CliExitCode::TimedOut, text))
            }
        }
    }

    async fn said(&self, mut child: Child, most: u64) -> Result<UpgradeView, CliError> {
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let (said, complained) = tokio::join!(read(out, most), read(err, ERROR_BYTES));
        let status = child.wait().await.map_err(|error| self.fault(&error.to_string()))?;
        let view: Result<UpgradeView, _> = serde_json::from_slice(&said);
        match view {
            Ok(view) if status.success() && view.schema == SCHEMA => Ok(view),
            Ok(_) | Err(_) => {
                let why = String::from_utf8_lossy(&complained);
                let why = why.lines().next().map(one_line).filter(|line| !line.is_empty());
                Err(self.fault(&why.unwrap_or_else(|| status.to_string())))
            }
        }
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
