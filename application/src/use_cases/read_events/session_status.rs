//! The status of a session, for readers of events.

use entracte_domain::session::{CallBatch, Phase};

use crate::stream::{PendingInteraction, SessionLevel, SessionLevelCall};
use crate::use_cases::SessionView;

/// The status from the stored session and its position in the slot queue.
pub(super) fn of(view: &SessionView, place: Option<usize>) -> SessionLevel {
    let calls = view.phase.batch().map(calls).unwrap_or_default();
    SessionLevel {
        session: view.facts.id.clone(),
        phase: view.phase.label(),
        standing: view.standing,
        place,
        waiting: waiting(&view.phase),
        calls,
        plan: view.facts.plan.clone(),
    }
}

fn calls(batch: &CallBatch) -> Vec<SessionLevelCall> {
    let line = |call: &entracte_domain::call::Call| SessionLevelCall {
        id: call.id.clone(),
        command: call.command.name.clone(),
        state: call.ledger_state().word(),
    };
    batch.calls.iter().map(line).collect()
}

fn waiting(phase: &Phase) -> Vec<PendingInteraction> {
    if let Phase::WaitingCommunicationResponse { question, .. } = phase {
        return vec![PendingInteraction::Question { text: question.text().to_owned() }];
    }
    let Some((batch, _)) = phase.batch_awaiting_decision() else { return Vec::new() };
    let approvals = batch.undecided();
    approvals
        .map(|call| PendingInteraction::Approval { id: call.approval_id(), digest: call.card.clone() })
        .collect()
}
