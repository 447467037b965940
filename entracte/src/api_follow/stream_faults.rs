//! Faults of a server whose streams are followed: which pass, and how long the server may be away.

use entracte_adapters_http::api_transport::ApiFault;
use entracte_adapters_http::problem::ProblemCode;
use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use entracte_domain::time::Millis;

use crate::api_client::ApiClient;
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// The wait before a lost stream is opened again; it doubles with each failure, up to the second one.
const RETRY_FIRST: Millis = Millis(100);
pub(super) const RETRY_MOST: Millis = Millis::seconds(5);

/// That a server does not answer. The wait before the next try doubles with each failure.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ServerOutage {
    /// Since when; `None` while it answers.
    since: Option<Millis>,
    wait: Millis,
}

impl ServerOutage {
    /// Goes on after a fault that may pass, for as long as a server may be away.
    ///
    /// # Errors
    /// If the fault does not pass, or the server is away for too long.
    pub(super) fn endure(&mut self, api: &ApiClient<'_>, fault: ApiFault) -> Result<(), CliError> {
        let away = self.record_failure(SystemClock.monotonic());
        let passes = match &fault {
            ApiFault::Unreachable { .. } | ApiFault::Lost { .. } | ApiFault::NotEntracte { .. } => true,
            ApiFault::Refused(problem) => matches!(
                problem.code(),
                ProblemCode::ShuttingDown
                    | ProblemCode::DatabaseUnavailable
                    | ProblemCode::RateLimited
                    | ProblemCode::TooManyStreams
            ),
            _ => false,
        };
        if passes && away < api.reconnect_for() {
            tracing::debug!(%fault, "the server is asked again");
            return Ok(());
        }
        Err(api.error(fault))
    }

    /// Records a failure, and returns how long the server has been away.
    fn record_failure(&mut self, now: Millis) -> Millis {
        let since = *self.since.get_or_insert(now);
        self.wait = Millis((self.wait.0 * 2).clamp(RETRY_FIRST.0, RETRY_MOST.0));
        Millis(now.0.saturating_sub(since.0))
    }

    /// Waits before the next try.
    pub(super) async fn wait(self) {
        if self.wait > Millis(0) {
            SystemClock.sleep(self.wait).await;
        }
    }
}

/// The end of a stream that the server did not announce.
pub(super) fn stream_ended(api: &ApiClient<'_>) -> ApiFault {
    ApiFault::Lost { server: api.server_name().to_owned(), why: "the stream ended".to_owned() }
}

/// An entry of a server that does not send its stored form.
pub(super) fn no_stored_entry(api: &ApiClient<'_>) -> CliError {
    let server = api.server_name();
    let text = message!("server-other-version", server = server, why = "stored");
    CliError::with_next(CliExitCode::Failure, text, "entracte --version")
}
