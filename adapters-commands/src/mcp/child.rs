//! A server that runs as a child process: its environment, its process group, its end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::config::McpServerConfig;
use super::error::StartError;
use super::secrets::Revealed;
use super::stderr::{self, LastOutput};

/// A running server and everything that it started: one process group, which ends with this value.
#[derive(Debug)]
pub(super) struct ServerProcess {
    child: Child,
    group: Option<Pid>,
}

/// The standard streams that carry the protocol.
pub(super) type Pipes = (ChildStdout, ChildStdin);

/// Starts the program. Of this process's `variables` it gets those that its configuration names.
pub(super) fn start(
    server: &str,
    config: &McpServerConfig,
    env: &Revealed,
    variables: &BTreeMap<String, String>,
    output: &LastOutput,
) -> Result<(ServerProcess, Pipes), StartError> {
    let name = config.command.as_deref().unwrap_or_default();
    let path = env.get("PATH").or_else(|| variables.get("PATH").map(String::as_str));
    let program = find(name, path.unwrap_or_default())
        .ok_or_else(|| StartError::NoProgram { command: name.to_owned() })?;
    let mut command = command(&program, config, env, variables);
    let failed = |source| StartError::Spawn { command: name.to_owned(), source };
    let mut child = command.spawn().map_err(failed)?;
    let pipes = child.stdout.take().zip(child.stdin.take());
    if let Some(stderr) = child.stderr.take() {
        tokio::spawn(stderr::log(server.to_owned(), env.scrubber(), stderr, output.clone()));
    }
    let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
    let process = ServerProcess { child, group };
    let pipes = pipes.ok_or_else(|| StartError::NoStreams { command: name.to_owned() })?;
    Ok((process, pipes))
}

fn command(
    program: &Path,
    config: &McpServerConfig,
    env: &Revealed,
    variables: &BTreeMap<String, String>,
) -> Command {
    let inherited = config.inherited();
    let inherited = inherited.iter().filter_map(|name| Some((name, variables.get(name)?)));
    let mut command = Command::new(program);
    command
        .args(&config.args)
        .env_clear()
        .envs(inherited)
        .envs(env.iter())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Ctrl-C at the terminal is for this process, which ends its servers itself.
        .process_group(0)
        .kill_on_drop(true);
    if let Some(folder) = &config.cwd {
        command.current_dir(folder);
    }
    command
}

/// The program's file: `command` itself where it is a path, else the first of that name in `path`.
fn find(command: &str, path: &str) -> Option<PathBuf> {
    if command.contains('/') {
        return Some(PathBuf::from(command));
    }
    std::env::split_paths(path).map(|folder| folder.join(command)).find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

impl ServerProcess {
    /// Waits for a server whose input was closed to end. One that takes long gets SIGTERM, then SIGKILL.
    pub(super) async fn end(mut self) {
        for signal in [None, Some(Signal::SIGTERM)] {
            if let Some(signal) = signal {
                self.send(signal);
            }
            if tokio::time::timeout(END_WAIT, self.child.wait()).await.is_ok() {
                break;
            }
        }
    }

    fn send(&self, signal: Signal) {
        if let Some(group) = self.group {
            // A group that has already ended needs no signal.
            let _ = killpg(group, signal);
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.send(Signal::SIGKILL);
    }
}

/// How long a server may take to end after its input was closed, and again after it was asked to end.
const END_WAIT: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_in_the_path_and_a_path_is_taken_as_it_is() {
        assert_eq!(find("sh", "/nowhere:/bin"), Some(PathBuf::from("/bin/sh")));
        assert_eq!(find("/nowhere/x", ""), Some(PathBuf::from("/nowhere/x")));
        assert_eq!(find("sh", ""), None);
        // A folder, and a file that is no program.
        assert_eq!(find("bin", "/usr"), None);
        assert_eq!(find("passwd", "/etc"), None);
    }
}
