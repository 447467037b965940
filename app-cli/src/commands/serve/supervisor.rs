//! What a service manager is told of the server, where one wants to know: systemd, by `NOTIFY_SOCKET`. Elsewhere nothing is.

use entracte_application::ports::Clock;

/// The server answers and owns the database.
pub(super) fn notify_ready(status: &str) {
    notify(ServerReadiness::Ready, status);
}

/// The server waits for something before it answers.
pub(super) fn notify_waiting(status: &str) {
    notify(ServerReadiness::Waiting, status);
}

/// The server is about to end.
pub(super) fn notify_stopping(status: &str) {
    notify(ServerReadiness::Stopping, status);
}

/// How the server stands.
#[derive(Clone, Copy)]
enum ServerReadiness {
    Waiting,
    Ready,
    Stopping,
}

#[cfg(unix)]
fn notify(state: ServerReadiness, status: &str) {
    use sd_notify::NotifyState;
    // A line of its own would be another message.
    let status = status.replace(['\n', '\r'], " ");
    let status = NotifyState::Status(&status);
    let sent = match state {
        ServerReadiness::Waiting => sd_notify::notify(&[status]),
        ServerReadiness::Ready => sd_notify::notify(&[NotifyState::Ready, status]),
        ServerReadiness::Stopping => sd_notify::notify(&[NotifyState::Stopping, status]),
    };
    log_notify_failure(sent);
}

/// Says again and again that this process runs, where the manager ends one that says nothing. Never returns.
#[cfg(unix)]
pub(super) async fn run_watchdog(clock: &dyn Clock) {
    use entracte_domain::time::Millis;
    let Some(limit) = sd_notify::watchdog_enabled() else { return std::future::pending().await };
    // Twice within the time, as systemd advises.
    let every = Millis(i64::try_from(limit.as_millis() / 2).unwrap_or(i64::MAX).max(1));
    loop {
        log_notify_failure(sd_notify::notify(&[sd_notify::NotifyState::Watchdog]));
        clock.sleep(every).await;
    }
}

/// A manager that does not listen changes nothing of what the server does.
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
