//! `StopRequested` and `RoundInterrupted`: running work is dropped, possible effects are awaited, and waits leave their
//! trace. Queued messages stay.

use crate::call::CallStatus;
use crate::localizable_text::sentences;
use crate::message::SystemKind;
use crate::session::call_batch::{self, BatchHalt};
use crate::session::{EndReason, Phase, SessionKind, StoppedReply, TransitionContext};

use super::on_user_message::cancel_wait;

/// Says after a reply that a person stopped that it ends there: its words stay, for people and for the model.
pub(super) fn mark_stopped_reply(
    step: &mut TransitionContext<'_>,
    author: &str,
    reply: Option<&StoppedReply>,
) {
    if reply.is_some() {
        step.append_system_text(SystemKind::ReplyStopped, sentences::reply_stopped(author));
    }
}

/// Stops a session's work; a run ends, a chat ends only on request.
pub(super) fn stop(step: &mut TransitionContext<'_>, phase: Phase, end: bool) -> Phase {
    match (step.facts.kind, end) {
        (SessionKind::Chat, false) => halt_by_person(step, phase, BatchHalt::Rest),
        (SessionKind::Chat, true)
        | (SessionKind::Seed | SessionKind::Automation | SessionKind::Agent, true | false) => {
            halt_by_person(step, phase, BatchHalt::End(EndReason::Cancelled))
        }
    }
}

/// Interrupts the round; the session rests.
pub(super) fn interrupt(step: &mut TransitionContext<'_>, phase: Phase) -> Phase {
    halt_by_person(step, phase, BatchHalt::Rest)
}

/// Halts for a person; the second stop in a row gives up a running action.
fn halt_by_person(step: &mut TransitionContext<'_>, phase: Phase, how: BatchHalt) -> Phase {
    step.record_person_act();
    let again = phase.batch().is_some_and(|batch| batch.halt.is_some());
    halt_or_force(step, phase, how, again)
}

/// Halts the work of a phase; a running action is awaited.
pub(super) fn halt(step: &mut TransitionContext<'_>, phase: Phase, how: BatchHalt) -> Phase {
    halt_or_force(step, phase, how, false)
}

fn halt_or_force(step: &mut TransitionContext<'_>, phase: Phase, how: BatchHalt, force: bool) -> Phase {
    match phase {
        Phase::ExecutingEnrichments(batch)
        | Phase::ExecutingDataQueries(batch)
        | Phase::ExecutingActions(batch) => call_batch::halt(step, batch, how, force),
        Phase::WaitingValidation { batch, .. } => {
            cancel_wait(step, batch, CallStatus::Cancelled, &sentences::undecided_for_stop());
            finish_halt(step, how)
        }
        Phase::WaitingCommunicationResponse { question, .. } => {
            step.append_system_text(
                SystemKind::CommunicationCancelled,
                sentences::question_unanswered(question.text()),
            );
            finish_halt(step, how)
        }
        Phase::CallingAi(round) | Phase::CompactingContext { round, .. } => {
            if round.started_at.is_some() {
                step.facts.usage.add_unknown_attempt();
            }
            finish_halt(step, how)
        }
        Phase::Idle
        | Phase::Parked(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::WaitingTask => finish_halt(step, how),
        Phase::Completed { .. } => phase,
    }
}

fn finish_halt(step: &mut TransitionContext<'_>, how: BatchHalt) -> Phase {
    match how {
        BatchHalt::Rest | BatchHalt::Quarantine => step.finish_round_keeping_queue(),
        BatchHalt::End(reason) => step.end_session(reason),
    }
}
