//! `TimeReached`: a deadline of the phase is due, or a run reached its maximum active time.

use crate::agent::AgentEndClass;
use crate::call::CallStatus;
use crate::localizable_text::{run_time_limit_text, sentences};
use crate::message::SystemKind;
use crate::session::call_batch::{self, BatchHalt};
use crate::session::round::{self, RoundReason};
use crate::session::wake::{deadlines, rebase_deadlines, run_ends_at};
use crate::session::{
    CallBatch, ClockSetbackPolicy, EndReason, JournalNote, Phase, SessionKind, TransitionContext,
    child_agents,
};

use super::on_halt::halt;
use super::on_user_message::cancel_wait;

pub(super) fn on(step: &mut TransitionContext<'_>, mut phase: Phase) -> Phase {
    let set_back = step.rules.set_back;
    if set_back == ClockSetbackPolicy::EndsNothing {
        rebase_deadlines(step.facts, &mut phase, step.now);
    }
    if run_ends_at(step.facts, &phase, step.rules).is_some_and(|end| step.now >= end) {
        return end_overdue_run(step, phase);
    }
    if !deadlines(step.facts, &phase).any(|deadline| set_back.is_due(deadline, step.now)) {
        return phase;
    }
    match phase {
        Phase::WaitingValidation { batch, .. } => {
            step.record.add_note(JournalNote::WaitExpired);
            note_expired(step, &batch);
            cancel_wait(step, batch, CallStatus::Expired, &sentences::undecided_in_time());
            if step.facts.kind.is_run() {
                round::begin_round(step, RoundReason::ActionResult)
            } else {
                step.finish_round()
            }
        }
        Phase::WaitingCommunicationResponse { question, .. } => {
            step.record.add_note(JournalNote::WaitExpired);
            step.append_system_text(
                SystemKind::CommunicationCancelled,
                sentences::question_expired(question.text()),
            );
            if step.facts.agent.is_none() {
                return step.finish_round();
            }
            // No other input would begin the next round.
            step.append_system_text(SystemKind::Continuation, sentences::nobody_answered());
            round::begin_round(step, RoundReason::Continuation)
        }
        Phase::WaitingCompletionConfirmation { .. } => step.close_session(EndReason::Completed),
        Phase::WaitingNetworkRetry { round, .. } => Phase::CallingAi(round.next_attempt()),
        Phase::AwaitingSessionClosure { reason, .. } => {
            step.record.add_note(JournalNote::ClosureDelayElapsed);
            step.end_session(reason)
        }
        // Delayed work starts at the start gate; approval is asked again if it expired unspent.
        Phase::ExecutingEnrichments(mut batch)
        | Phase::ExecutingDataQueries(mut batch)
        | Phase::ExecutingActions(mut batch) => {
            if batch.asked_until.is_some_and(|until| set_back.is_due(until, step.now)) {
                step.record.add_note(JournalNote::WaitExpired);
                note_expired(step, &batch);
                call_batch::expire_undecided(step, &mut batch);
            }
            call_batch::advance(step, batch)
        }
        // A resting agent got no answer.
        Phase::Idle => {
            let why = AgentEndClass::Unanswered;
            child_agents::record_end_cause(step, why, why.usual_text());
            step.end_session(EndReason::Timeout)
        }
        // These phases have no deadlines; the table ignores the input.
        Phase::Parked(_)
        | Phase::CallingAi(_)
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => phase,
    }
}

/// Records expired approvals of a run, to be reported when it has ended, because possibly no person is present
/// meanwhile. Calls of v0.1 have no cards, and their journals no such records.
fn note_expired(step: &mut TransitionContext<'_>, batch: &CallBatch) {
    if step.facts.kind == SessionKind::Automation {
        let asked = batch.undecided().filter(|call| call.card.is_some());
        step.facts.expired.extend(asked.map(|call| call.id.clone()));
    }
}

fn end_overdue_run(step: &mut TransitionContext<'_>, phase: Phase) -> Phase {
    let text = run_time_limit_text(step.rules.run_duration);
    child_agents::record_end_cause(step, AgentEndClass::RunDuration, text.clone());
    step.append_system_text(SystemKind::SessionTimeout, text);
    halt(step, phase, BatchHalt::End(EndReason::Timeout))
}
