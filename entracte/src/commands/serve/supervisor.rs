//! Reports the server's state to the service manager: to systemd, by `NOTIFY_SOCKET`. Without it nothing is reported.

use entracte_application::ports::Clock;

/// Reports that the server answers and owns the database.
pub(super) fn notify_ready(status: &str) {
    notify(ServerReadiness::Ready, status);
}

/// Reports that the server waits before it can answer.
pub(super) fn notify_waiting(status: &str) {
    notify(ServerReadiness::Waiting, status);
}

/// Reports that the server is about to end.
pub(super) fn notify_stopping(status: &str) {
    notify(ServerReadiness::Stopping, status);
}

/// The state of the server.
#[derive(Clone, Copy)]
enum ServerReadiness {
    Waiting,
    Ready,
    Stopping,
}

#[cfg(unix)]
fn notify(state: ServerReadiness, status: &str) {
    use sd_notify::NotifyState;
    // A line end would begin another message.
    let status = status.replace(['\n', '\r'], " ");
    let status = NotifyState::Status(&status);
    let sent = match state {
        ServerReadiness::Waiting => sd_notify::notify(&[status]),
        ServerReadiness::Ready => sd_notify::notify(&[NotifyState::Ready, status]),
        ServerReadiness::Stopping => sd_notify::notify(&[NotifyState::Stopping, status]),
    };
    log_notify_failure(sent);
}

/// Sends watchdog messages if the manager requires them. Never returns.
#[cfg(unix)]
pub(super) async fn run_watchdog(clock: &dyn Clock) {
    use entracte_domain::time::Millis;
    let Some(limit) = sd_notify::watchdog_enabled() else { return std::future::pending().await };
    // Twice within the limit, as systemd recommends.
    let every = Millis(i64::try_from(limit.as_millis() / 2).unwrap_or(i64::MAX).max(1));
    loop {
        log_notify_failure(sd_notify::notify(&[sd_notify::NotifyState::Watchdog]));
        clock.sleep(every).await;
    }
}

/// An unreachable manager does not affect the server.
#[cfg(unix)]
fn log_notify_failure(sent: std::io::Result<()>) {
    if let Err(error) = sent {
        tracing::debug!(%error, "the service manager was not told");
    }
}

#[cfg(not(unix))]
fn notify(_state: ServerReadiness, _status: &str) {}

/// Never returns.
#[cfg(not(unix))]
pub(super) async fn run_watchdog(_clock: &dyn Clock) {
    std::future::pending().await
}
