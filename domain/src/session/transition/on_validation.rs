//! `ValidationReceived`: a person decides on one, some or all of the open calls.

use crate::command::CallStatus;
use crate::session::batch;
use crate::session::{Phase, Step};
use crate::speech::sentences;
use crate::validation::{Decision, Verdict};

pub(super) fn on(step: &mut Step<'_>, phase: Phase, author: &str, decisions: Vec<Decision>) -> Phase {
    match phase {
        Phase::WaitingValidation { mut batch, expires } => {
            step.human_act();
            let mut edited = false;
            for Decision { call, verdict, rule: _ } in decisions {
                edited |= matches!(verdict, Verdict::Approve { edited: Some(_) });
                // One that was decided before says the same again; the fence saw to that.
                if let Some(index) = batch.undecided_at(&call) {
                    decide(step, &mut batch, index, author, verdict);
                }
            }
            if edited {
                batch::find_duplicates(step, &mut batch);
                batch::ask_where_needed(step, &mut batch);
            }
            if batch.undecided().next().is_some() {
                Phase::WaitingValidation { batch, expires }
            } else {
                batch::advance(step, batch)
            }
        }
        // The fence lets decisions through for undecided calls only, and those are in WAITING_VALIDATION.
        Phase::Idle
        | Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => phase,
    }
}

fn decide(
    step: &mut Step<'_>,
    batch: &mut crate::session::Batch,
    index: usize,
    author: &str,
    verdict: Verdict,
) {
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
