//! Notifications to a local program: JSON on its standard input, no shell, an empty environment.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use entracte_application::ports::{DeliveryOutcome, Notification};
use entracte_application::system::START_FOLDER;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};

/// Checks that the path names an executable file.
pub(super) fn check(program: &str) -> Result<(), String> {
    match Path::new(program).metadata() {
        Ok(about) if about.is_file() && about.permissions().mode() & 0o111 != 0 => Ok(()),
        Ok(_) => Err(format!("{program} is not a program")),
        Err(error) => Err(format!("{program}: {error}")),
    }
}

/// Runs the program. Exit code 0 means that it accepted the notification.
pub(super) async fn run(
    program: &str,
    arguments: &[String],
    told: &Notification,
    timeout: Duration,
) -> DeliveryOutcome {
    let spawned = Command::new(program)
        .args(arguments)
        .env_clear()
        .current_dir(START_FOLDER)
        .stdin(Stdio::piped())
        // Its output is not used.
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true)
        .spawn();
    let child = match spawned {
        Ok(child) => child,
        Err(error) => return DeliveryOutcome::Refused(format!("{program} cannot be started: {error}")),
    };
    let mut running = NotificationProcess::of(child);
    match tokio::time::timeout(timeout, running.send_stdin(&told.body)).await {
        Ok(Ok(status)) if status.success() => DeliveryOutcome::Taken,
        Ok(Ok(status)) => DeliveryOutcome::Refused(format!("{program} ended with {status}")),
        Ok(Err(error)) => DeliveryOutcome::Refused(format!("{program}: {error}")),
        Err(_) => DeliveryOutcome::Refused(format!("{program} took longer than {} s", timeout.as_secs())),
    }
}

/// A running program in its own process group; dropping it kills the group.
struct NotificationProcess {
    child: Child,
    group: Option<Pid>,
}

impl NotificationProcess {
    fn of(child: Child) -> Self {
        let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        Self { child, group }
    }

    async fn send_stdin(&mut self, body: &str) -> std::io::Result<std::process::ExitStatus> {
        if let Some(mut input) = self.child.stdin.take() {
            // A program that does not read its input is judged by its exit code.
            match input.write_all(body.as_bytes()).await {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        self.child.wait().await
    }
}

impl Drop for NotificationProcess {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // The group may have exited already.
            let _ = killpg(group, Signal::SIGKILL);
        }
    }
}
