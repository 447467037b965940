use std::sync::Arc;

use entracte_domain::call::{CallStatus, CallStatusGroup};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::{EndReason, Input, JournalNote, LogAppend, SessionLimit, descendant_usage};
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;

use super::{CallView, ReadCalls, ReadLog, ShowSession, UseCaseError, cost_report};
use crate::journal::JournalEntry;
use crate::ports::{LogReader, WorkspaceStore};

/// Statistics of a session, computed from committed rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionMetrics {
    /// Number of rounds begun.
    pub rounds: u32,
    /// Number of rounds that the session began by itself, except closing calls.
    pub relaunches: u32,
    /// Number of stops because there was no progress, or the same failure recurred.
    pub early_stops: u32,
    /// Number of closing calls at a limit.
    pub circuit_breaks: u32,
    /// Number of requested calls.
    pub calls: u32,
    /// Number of calls that succeeded, or were answered from the ledger.
    pub succeeded: u32,
    /// Number of calls that failed or were refused.
    pub failed: u32,
    /// Number of calls of unknown outcome, which nobody has settled.
    pub unknown: u32,
    /// Number of calls that were started and ended.
    pub timed: u32,
    /// The total duration of the calls that ended.
    pub took: Millis,
    /// The duration of the longest call.
    pub longest: Millis,
    /// The origin of a copied session.
    pub copied: Option<SessionOrigin>,
    /// The usage since the copy was made, with that of the agents below it; `None` if the session is not a copy.
    pub used_since: Option<Usage>,
}

/// The origin of a copied session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOrigin {
    /// The original session.
    pub session: SessionId,
    /// The end reason of the original at the time of the copy; the copy continues with the next user message.
    pub ended: Option<EndReason>,
}

impl SessionMetrics {
    /// Computes the statistics of these entries and calls.
    pub fn from_entries<'a>(entries: impl IntoIterator<Item = &'a JournalEntry>, calls: &[CallView]) -> Self {
        let mut metrics = Self::default();
        let mut ended = None;
        for entry in entries {
            for appended in &entry.appended {
                if let LogAppend::Note(note) = appended {
                    metrics.note(note);
                    if let JournalNote::SessionCompleted { reason } = note {
                        ended = Some(*reason);
                    }
                }
            }
            if let Input::SessionCopied { from, .. } = &entry.input {
                metrics.copied = Some(SessionOrigin { session: from.clone(), ended: ended.take() });
            }
        }
        calls.iter().for_each(|view| metrics.call(view));
        metrics
    }

    /// Calls per hundred rounds; `None` without a round.
    pub fn calls_per_hundred_rounds(&self) -> Option<u64> {
        hundredths(self.calls, self.rounds)
    }

    /// The percentage of finished calls that succeeded; `None` without one.
    pub fn success_percent(&self) -> Option<u64> {
        hundredths(self.succeeded, self.succeeded.saturating_add(self.failed))
    }

    fn note(&mut self, note: &JournalNote) {
        match note {
            JournalNote::RoundStarted { reason, closing, .. } => {
                self.rounds += 1;
                self.circuit_breaks += u32::from(*closing);
                self.relaunches += u32::from(!closing && reason.is_autonomous());
            }
            JournalNote::LimitReached(SessionLimit::WithoutProgress | SessionLimit::EqualFailures { .. }) => {
                self.early_stops += 1
            }
            _ => {}
        }
    }

    fn call(&mut self, view: &CallView) {
        self.calls += 1;
        if view.call.result().is_some_and(|result| result.status == CallStatus::Unknown) {
            self.unknown += 1;
            return self.time(view);
        }
        match view.call.result().map(|result| result.status.group()) {
            Some(CallStatusGroup::Success | CallStatusGroup::Cached) => self.succeeded += 1,
            Some(CallStatusGroup::Failed) => self.failed += 1,
            Some(CallStatusGroup::Cancelled) | None => {}
        }
        self.time(view);
    }

    fn time(&mut self, view: &CallView) {
        if let (Some(started), Some(finished)) = (view.call.first_started_at, view.finished_at) {
            let took = finished.since(started);
            self.timed += 1;
            self.took = Millis(self.took.0.saturating_add(took.0));
            self.longest = self.longest.max(took);
        }
    }
}

fn hundredths(part: u32, whole: u32) -> Option<u64> {
    (whole > 0).then(|| u64::from(part) * 100 / u64::from(whole))
}

use_case! {
    /// Computes the statistics of a session.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let measure = MeasureSession::new(Arc::new(samples::store()), Arc::new(samples::empty_log()));
    /// let metrics = measure.run(&samples::workspace(), &samples::session()).await?;
    /// assert_eq!((metrics.rounds, metrics.success_percent()), (0, None), "nothing happened yet");
    /// # Ok(()) });
    /// ```
    pub struct MeasureSession reads (store: dyn WorkspaceStore, log: dyn LogReader)
}

impl MeasureSession {
    /// The statistics so far.
    ///
    /// # Errors
    /// When there is no such session, or a row cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<SessionMetrics, UseCaseError> {
        let calls = ReadCalls::new(self.store.clone(), self.log.clone()).run(workspace, session).await?;
        let entries = ReadLog::new(self.log.clone()).entries(workspace, session, 0).await?;
        let mut metrics = SessionMetrics::from_entries(&entries, &calls);
        if metrics.copied.is_some() {
            let view = ShowSession::new(self.store.clone()).run(workspace, session).await?;
            let mut used = cost_report::total_usage(session, &entries);
            used.add(descendant_usage(&view.facts));
            metrics.used_since = Some(used);
        }
        Ok(metrics)
    }
}
