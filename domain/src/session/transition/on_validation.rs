//! `ValidationReceived`: a person decides on one, some or all of the open calls.

use crate::call::CallStatus;
use crate::session::batch::{self, Batch};
use crate::session::{Phase, Step};
use crate::speech::sentences;
use crate::time::Deadline;
use crate::validation::{Decision, Verdict};

pub(super) fn on(step: &mut Step<'_>, phase: Phase, author: &str, decisions: Vec<Decision>) -> Phase {
    match phase {
        Phase::WaitingValidation { batch, expires } => take_in(step, batch, Some(expires), author, decisions),
        // Some of the reply's calls are under way while others are undecided.
        Phase::ExecutingDataQueries(batch) | Phase::ExecutingActions(batch) => {
            take_in(step, batch, None, author, decisions)
        }
        // The fence lets decisions through for undecided calls only, and those are in the phases above.
        Phase::Idle
        | Phase::Parked(_)
        | Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => phase,
    }
}

/// `expires` is the deadline of the wait that is open.
fn take_in(
    step: &mut Step<'_>,
    mut batch: Batch,
    expires: Option<Deadline>,
    author: &str,
    decisions: Vec<Decision>,
) -> Phase {
    step.human_act();
    let mut edited = false;
    for Decision { call, card: _, verdict, rule: _ } in decisions {
        edited |= matches!(verdict, Verdict::Approve { edited: Some(_) });
        // Whoever says why not tells the model what to do instead, so that is asked for by two people.
        if matches!(verdict, Verdict::Reject { reason: Some(_) }) {
            step.facts.asked_by.join_known(author);
        }
        // One that was decided before says the same again; the fence saw to that.
        if let Some(index) = batch.undecided_at(&call) {
            decide(step, &mut batch, index, author, verdict);
        }
    }
    if edited {
        batch::find_duplicates(step, &mut batch);
        batch::ask_where_needed(step, &mut batch);
    }
    match expires {
        Some(expires) if batch.waits_for_all() => Phase::WaitingValidation { batch, expires },
        Some(_) | None => batch::advance(step, batch),
    }
}

fn decide(step: &mut Step<'_>, batch: &mut Batch, index: usize, author: &str, verdict: Verdict) {
    match verdict {
        Verdict::Approve { edited } => batch::approve(step, &mut batch.calls[index], author, edited),
        Verdict::Reject { reason } => {
            batch.refused_with_reason |= reason.is_some();
            let text = match reason {
                Some(reason) => sentences::rejected_because(&reason),
                None => sentences::rejected(),
            };
            batch::end_call(step, &mut batch.calls[index], CallStatus::Rejected, text);
        }
    }
}
