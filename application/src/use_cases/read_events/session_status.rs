//! The status of a session, for readers of events.

use std::collections::BTreeMap;

use entracte_domain::id::CallId;
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::CallBatch;

use crate::ports::CallProgress;
use crate::stream::{SessionLevel, SessionLevelCall};
use crate::use_cases::{RunningSession, SessionView};

/// The status from the stored session with the agents below it that run, its position in the slot queue and the progress
/// of its calls.
pub(super) fn of(
    view: &SessionView,
    running: &[RunningSession],
    place: Option<usize>,
    progress: &BTreeMap<CallId, CallProgress>,
) -> SessionLevel {
    let calls = view.phase.batch().map(calls).unwrap_or_default();
    let mut level = SessionLevel {
        session: view.facts.id.clone(),
        phase: view.phase.label(),
        standing: view.standing,
        place,
        waiting: running.iter().flat_map(RunningSession::pending).collect(),
        calls,
        plan: view.facts.plan.clone(),
    };
    apply_progress(&mut level, progress);
    level
}

/// Replaces the progress of the calls that run.
pub(super) fn apply_progress(level: &mut SessionLevel, progress: &BTreeMap<CallId, CallProgress>) {
    for call in &mut level.calls {
        let runs = call.state == LedgerState::Started.word();
        call.progress = progress.get(&call.id).filter(|_| runs).cloned();
    }
}

fn calls(batch: &CallBatch) -> Vec<SessionLevelCall> {
    let line = |call: &entracte_domain::call::Call| SessionLevelCall {
        id: call.id.clone(),
        command: call.command.name.clone(),
        state: call.ledger_state().word(),
        progress: None,
    };
    batch.calls.iter().map(line).collect()
}
