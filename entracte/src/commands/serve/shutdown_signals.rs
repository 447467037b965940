//! The signals that end a server.

use crate::follow::CtrlCListener;

/// Listens for Ctrl-C and SIGTERM.
pub(super) struct ShutdownSignals {
    ctrl_c: CtrlCListener,
    terminated: SigtermListener,
}

impl ShutdownSignals {
    /// Starts to listen.
    pub(super) fn listen() -> Self {
        Self { ctrl_c: CtrlCListener::listen(), terminated: SigtermListener::listen() }
    }

    /// Returns when a signal arrives.
    pub(super) async fn wait(&mut self) {
        tokio::select! {
            () = self.ctrl_c.wait_for_press() => {}
            () = self.terminated.wait() => {}
        }
    }
}

/// SIGTERM, on systems that have it.
struct SigtermListener {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

impl SigtermListener {
    #[cfg(unix)]
    fn listen() -> Self {
        let signal = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
        let unheard = |error: &std::io::Error| tracing::debug!(%error, "SIGTERM cannot be received here");
        Self { signal: signal.inspect_err(unheard).ok() }
    }

    #[cfg(not(unix))]
    fn listen() -> Self {
        Self {}
    }

    #[cfg(unix)]
    async fn wait(&mut self) {
        match &mut self.signal {
            Some(signal) => {
                let _told = signal.recv().await;
            }
            None => std::future::pending().await,
        }
    }

    #[cfg(not(unix))]
    async fn wait(&mut self) {
        std::future::pending().await
    }
}
