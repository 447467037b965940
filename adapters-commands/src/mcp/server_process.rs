//! A server as a child process: its environment, its process group, its termination.

use std::collections::BTreeMap;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::config::McpServerConfig;
use super::error::McpStartError;
use super::secrets::ResolvedSecretValues;
use super::stderr_tail::{self, StderrTail};

/// A running server in its own process group; dropping it kills the group.
#[derive(Debug)]
pub(super) struct McpServerProcess {
    child: Child,
    group: Option<Pid>,
}

/// The standard streams that carry the protocol.
pub(super) type StdioPipes = (ChildStdout, ChildStdin);

/// Starts the program in the configured folder, else in `own_folder`, which is created. It inherits those of `variables`
/// that its configuration names.
pub(super) fn start(
    server: &str,
    config: &McpServerConfig,
    own_folder: &Path,
    env: &ResolvedSecretValues,
    variables: &BTreeMap<String, String>,
    output: &StderrTail,
) -> Result<(McpServerProcess, StdioPipes), McpStartError> {
    let name = config.command.as_deref().unwrap_or_default();
    let path = env.get("PATH").or_else(|| variables.get("PATH").map(String::as_str));
    let program = find(name, path.unwrap_or_default(), &config.folder())
        .ok_or_else(|| McpStartError::NoProgram { command: name.to_owned() })?;
    let folder = working_folder(config, own_folder)?;
    let mut command = command(&program, &folder, config, env, variables);
    let failed = |source| McpStartError::Spawn { command: name.to_owned(), source };
    let mut child = command.spawn().map_err(failed)?;
    let pipes = child.stdout.take().zip(child.stdin.take());
    if let Some(stderr) = child.stderr.take() {
        tokio::spawn(stderr_tail::log(server.to_owned(), env.scrubber(), stderr, output.clone()));
    }
    let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
    let process = McpServerProcess { child, group };
    let pipes = pipes.ok_or_else(|| McpStartError::NoStreams { command: name.to_owned() })?;
    Ok((process, pipes))
}

/// The folder that the program works in: never the one that holds the configuration, unless that says so.
fn working_folder(config: &McpServerConfig, own_folder: &Path) -> Result<PathBuf, McpStartError> {
    if config.cwd.is_some() {
        return Ok(config.folder());
    }
    if let Some((argument, folder)) = config.misplaced_argument() {
        return Err(McpStartError::MisplacedArgument {
            argument: argument.to_owned(),
            folder: folder.display().to_string(),
        });
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700);
    let failed = |source| McpStartError::Folder { folder: own_folder.display().to_string(), source };
    builder.create(own_folder).map_err(failed)?;
    Ok(own_folder.to_owned())
}

fn command(
    program: &Path,
    folder: &Path,
    config: &McpServerConfig,
    env: &ResolvedSecretValues,
    variables: &BTreeMap<String, String>,
) -> Command {
    let inherited = config.inherited();
    let inherited = inherited.iter().filter_map(|name| Some((name, variables.get(name)?)));
    let mut command = Command::new(program);
    command
        .args(&config.args)
        // Launchers and interpreters search the working folder first: the content of this process's folder would
        // decide which program runs.
        .current_dir(folder)
        .env_clear()
        .envs(inherited)
        .envs(env.iter())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Ctrl-C at the terminal is for this process, which ends its servers itself.
        .process_group(0)
        .kill_on_drop(true);
    command
}

/// The file of the program: `command` itself if it is a path, else its first match in `path`. Relative paths are
/// resolved in `folder`.
fn find(command: &str, path: &str, folder: &Path) -> Option<PathBuf> {
    if command.contains('/') {
        return Some(folder.join(command));
    }
    std::env::split_paths(path).map(|place| folder.join(place).join(command)).find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

impl McpServerProcess {
    /// Waits for a server to exit after its input was closed; on a time-out sends SIGTERM, then SIGKILL.
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
            // The group may have exited already.
            let _ = killpg(group, signal);
        }
    }
}

impl Drop for McpServerProcess {
    fn drop(&mut self) {
        self.send(Signal::SIGKILL);
    }
}

/// The time-out for exiting after closing the input, and again after SIGTERM.
const END_WAIT: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_is_searched_in_path_or_given() {
        let find = |command: &str, path: &str| find(command, path, Path::new("/"));
        assert_eq!(find("sh", "/nowhere:/bin"), Some(PathBuf::from("/bin/sh")));
        assert_eq!(find("/nowhere/x", ""), Some(PathBuf::from("/nowhere/x")));
        assert_eq!(find("sh", ""), None);
        // A folder, and a file that is not executable.
        assert_eq!(find("bin", "/usr"), None);
        assert_eq!(find("passwd", "/etc"), None);
    }

    #[test]
    fn relative_program_path_is_resolved_in_server_folder() {
        let found = |command: &str, path: &str, folder: &str| find(command, path, Path::new(folder));
        assert_eq!(found("./server", "", "/srv/notes"), Some(PathBuf::from("/srv/notes/./server")));
        assert_eq!(found("sh", "bin", "/"), Some(PathBuf::from("/bin/sh")));
        assert_eq!(found("sh", ":bin", "/etc"), None);
    }

    #[test]
    fn server_runs_in_its_configured_folder() {
        let parent = tempfile::tempdir().unwrap();
        let own = parent.path().join("servers/s");
        let folder = |entry: &str| {
            let config: McpServerConfig = serde_json::from_str(entry).unwrap();
            working_folder(&config, &own).unwrap()
        };
        assert_eq!(folder(r#"{"command": "sh", "cwd": "/srv/notes"}"#), Path::new("/srv/notes"));
        assert_eq!(folder(r#"{"command": "sh", "cwd": "notes"}"#), Path::new("/notes"));
        assert!(!own.exists());
        assert_eq!(folder(r#"{"command": "sh"}"#), own);
        assert!(own.is_dir(), "it is created");
    }
}
