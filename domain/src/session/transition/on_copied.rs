//! `SessionCopied`: from here on the session is one of its own. Nothing that the other one had under way goes on
//! here: its calls end, its waits leave their trace, and the copy rests until a person speaks.

use crate::command::CallStatus;
use crate::message::SystemKind;
use crate::session::batch::{self, Batch, Halt};
use crate::session::{Crashes, Phase, Slot, Step};
use crate::speech::sentences;

use super::on_user_message::cancel_wait;

pub(super) fn on(step: &mut Step<'_>, phase: Phase) -> Phase {
    let facts = &mut *step.facts;
    facts.slot = Slot::None;
    facts.tasks.clear();
    facts.unsettled.clear();
    facts.crashes = Crashes::default();
    facts.end_reason = None;
    facts.automation = None;
    facts.parent = None;
    facts.parked = None;
    // The time between the last entry and the copy is nobody's work.
    facts.active_since = None;
    match phase {
        Phase::ExecutingEnrichments(batch)
        | Phase::ExecutingDataQueries(batch)
        | Phase::ExecutingActions(batch) => give_up(step, batch),
        Phase::WaitingValidation { batch, .. } => {
            cancel_wait(step, batch, CallStatus::Cancelled, &sentences::not_in_copy());
            step.rest_without_queue()
        }
        Phase::WaitingCommunicationResponse { question, .. } => {
            step.say(SystemKind::CommunicationCancelled, sentences::question_unanswered(question.text()));
            step.rest_without_queue()
        }
        Phase::Idle
        | Phase::CallingAi(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => step.rest_without_queue(),
    }
}

fn give_up(step: &mut Step<'_>, mut batch: Batch) -> Phase {
    for call in batch.calls.iter_mut().filter(|call| !call.is_finished()) {
        batch::end_call(step, call, CallStatus::Cancelled, sentences::not_in_copy());
    }
    batch.halt = Some(Halt::Rest);
    batch::advance(step, batch)
}
