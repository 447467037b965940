//! `TimeReached`: a deadline of the phase is due, or a run has been active for as long as it may.

use crate::call::CallStatus;
use crate::message::SystemKind;
use crate::session::batch::{self, BatchHalt};
use crate::session::round::{self, RoundReason};
use crate::session::wake::{deadlines, run_ends_at, set_again};
use crate::session::{
    CallBatch, ClockSetbackPolicy, EndReason, JournalNote, Phase, SessionKind, TransitionContext,
};
use crate::speech::{run_over, sentences};

use super::on_halt::halt;
use super::on_user_message::cancel_wait;

pub(super) fn on(step: &mut TransitionContext<'_>, mut phase: Phase) -> Phase {
    let set_back = step.rules.set_back;
    if set_back == ClockSetbackPolicy::EndsNothing {
        set_again(step.facts, &mut phase, step.now);
    }
    if run_ends_at(step.facts, &phase, step.rules).is_some_and(|end| step.now >= end) {
        return run_is_over(step, phase);
    }
    if !deadlines(step.facts, &phase).any(|deadline| set_back.is_due(deadline, step.now)) {
        return phase;
    }
    match phase {
        Phase::WaitingValidation { batch, .. } => {
            step.record.note(JournalNote::WaitExpired);
            note_expired(step, &batch);
            cancel_wait(step, batch, CallStatus::Expired, &sentences::undecided_in_time());
            if step.facts.kind.is_run() { round::begin(step, RoundReason::ActionResult) } else { step.rest() }
        }
        Phase::WaitingCommunicationResponse { question, .. } => {
            step.record.note(JournalNote::WaitExpired);
            step.say(SystemKind::CommunicationCancelled, sentences::question_expired(question.text()));
            if step.facts.agent.is_none() {
                return step.rest();
            }
            // Nobody else begins its next round.
            step.say(SystemKind::Continuation, sentences::nobody_answered());
            round::begin(step, RoundReason::Continuation)
        }
        Phase::WaitingCompletionConfirmation { .. } => step.close(EndReason::Completed),
        Phase::WaitingNetworkRetry { round, .. } => Phase::CallingAi(round.again()),
        Phase::AwaitingSessionClosure { reason, .. } => {
            step.record.note(JournalNote::ClosureDelayElapsed);
            step.end(reason)
        }
        // What was delayed starts at the gate; an approval that expired unspent is asked for again.
        Phase::ExecutingEnrichments(mut batch)
        | Phase::ExecutingDataQueries(mut batch)
        | Phase::ExecutingActions(mut batch) => {
            if batch.asked_until.is_some_and(|until| set_back.is_due(until, step.now)) {
                step.record.note(JournalNote::WaitExpired);
                note_expired(step, &batch);
                batch::expire_undecided(step, &mut batch);
            }
            batch::advance(step, batch)
        }
        // Of an agent at rest: nobody answered it.
        Phase::Idle => step.end(EndReason::Timeout),
        // No deadline of their own; the fence lets none through.
        Phase::Parked(_)
        | Phase::CallingAi(_)
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => phase,
    }
}

/// Nobody may be there when a run goes on without what was to be approved: it is told when it has ended. Calls of v0.1
/// have no cards, and their journals say nothing of this.
fn note_expired(step: &mut TransitionContext<'_>, batch: &CallBatch) {
    if step.facts.kind == SessionKind::Automation {
        let asked = batch.undecided().filter(|call| call.card.is_some());
        step.facts.expired.extend(asked.map(|call| call.id.clone()));
    }
}

fn run_is_over(step: &mut TransitionContext<'_>, phase: Phase) -> Phase {
    step.say(SystemKind::SessionTimeout, run_over(step.rules.run_duration));
    halt(step, phase, BatchHalt::End(EndReason::Timeout))
}
