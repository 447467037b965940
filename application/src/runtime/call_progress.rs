//! The progress of a running call, on its way to the watchers of its session.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use entracte_domain::time::Millis;

use super::scrub::secret_holders;
use super::services::RuntimeServices;
use crate::ports::{CallProgress, CallProgressSink, CallRequest, FeedEvent};
use crate::terminal_text::one_line;

/// Whether a report is passed on now; those in between are left out, because the next one replaces them.
fn is_due(latest: &Mutex<Option<Millis>>, now: Millis) -> bool {
    let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
    let is_due = latest.is_none_or(|before| now.0.saturating_sub(before.0) >= REPORTS_EVERY.0);
    if is_due {
        *latest = Some(now);
    }
    is_due
}

/// The shortest time between two reports of a call that are shown.
const REPORTS_EVERY: Millis = Millis(100);

/// The most characters of a report.
const PROGRESS_MAX_CHARS: usize = 300;

/// Passes the progress of a call on to the watchers of its session, without secrets and on one line.
pub(super) fn progress_sink(services: &Arc<RuntimeServices>, request: &CallRequest) -> CallProgressSink {
    let (workspace, session, call) =
        (request.workspace.clone(), request.session.clone(), request.call.clone());
    let holders = secret_holders(&workspace, request.acts_as.clone());
    let (services, scrubber) = (services.clone(), OnceLock::new());
    let latest: Mutex<Option<Millis>> = Mutex::new(None);
    CallProgressSink::new(move |progress| {
        if !is_due(&latest, services.clock.monotonic()) {
            return;
        }
        // Most calls report nothing, and secrets are read from files.
        let secrets = scrubber.get_or_init(|| services.secrets.scrubber(&holders));
        let text = one_line(&secrets.scrub_text(&progress.text));
        let text = text.chars().take(PROGRESS_MAX_CHARS).collect();
        let percent = progress.percent.map(|percent| percent.min(100));
        let (workspace, session, call) = (workspace.clone(), session.clone(), call.clone());
        let progress = CallProgress { text, percent };
        services.feed.publish(FeedEvent::CallProgressed { workspace, session, call, progress });
    })
}
