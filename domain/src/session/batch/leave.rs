//! Asking for leave: which calls need it, what happens where nobody watches, and a yes.

use crate::command::{Call, CallState, CallStatus};
use crate::session::start::{Clearance, clearance};
use crate::session::{Batch, Note, Phase, SessionKind, Step, Unattended};
use crate::speech::sentences;
use crate::time::{Deadline, Millis};
use crate::validation::Approval;

use super::end_call;

/// Marks the calls that a person must be asked about.
pub(crate) fn ask_where_needed(step: &mut Step<'_>, batch: &mut Batch) {
    for call in &mut batch.calls {
        match clearance(call, step.now) {
            Clearance::AskFirst => {
                if matches!(call.state, CallState::Approved(_)) {
                    step.record.note(Note::LeaveAskedAgain { call: call.id.clone() });
                }
                call.state = CallState::WaitingDecision;
                step.record.ledger(call);
            }
            Clearance::Free | Clearance::Spend(_) | Clearance::NotItsTurn => {}
        }
    }
}

/// What is done with calls that need leave where nobody watches; none when a person is waited for.
pub(super) fn unattended(step: &Step<'_>) -> Option<Unattended> {
    match step.facts.kind {
        SessionKind::Chat | SessionKind::Seed => None,
        SessionKind::Automation | SessionKind::Agent => match step.rules.unattended {
            Unattended::Park => None,
            policy @ (Unattended::Refuse | Unattended::Allow) => Some(policy),
        },
    }
}

pub(super) fn wait_for_leave(step: &mut Step<'_>, batch: Batch) -> Phase {
    match step.facts.kind {
        SessionKind::Automation | SessionKind::Agent => step.record.note(Note::SessionParked),
        SessionKind::Chat | SessionKind::Seed => {}
    }
    Phase::WaitingValidation { batch, expires: leave_until(step) }
}

pub(super) fn apply(policy: Unattended, step: &mut Step<'_>, batch: &mut Batch) {
    for call in &mut batch.calls {
        if !matches!(call.state, CallState::WaitingDecision) {
            continue;
        }
        match policy {
            Unattended::Allow => {
                step.record.note(Note::ApprovedByPolicy { call: call.id.clone() });
                approve(step, call, "policy", None);
            }
            Unattended::Refuse | Unattended::Park => {
                end_call(step, call, CallStatus::Rejected, sentences::nobody_to_give_leave());
            }
        }
    }
}

/// Until when leave may be given, and spent. 0 is no limit: a hundred years.
fn leave_until(step: &Step<'_>) -> Deadline {
    let span = step.rules.validation_expires;
    Deadline::after(step.now, if span.0 > 0 { span } else { Millis::hours(24 * 36_525) })
}

/// Notes a person's (or the policy's) yes, bound to the exact command and catalog version.
pub(crate) fn approve(
    step: &mut Step<'_>,
    call: &mut Call,
    author: &str,
    edited: Option<crate::validation::Edit>,
) {
    let Some(terms) = &call.terms else { return };
    let command_id = edited.as_ref().map_or(&call.command_id, |edit| &edit.command_id).clone();
    call.state = CallState::Approved(Approval {
        author: author.to_owned(),
        at: step.now,
        expires: leave_until(step),
        version: terms.version.clone(),
        command_id,
        edited,
    });
    step.record.ledger(call);
}
