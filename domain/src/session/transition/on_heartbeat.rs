//! `SchedulerHeartbeat`: the watchdog. A run that holds a slot, and neither works nor waits for anything with a
//! deadline of its own, is closed.

use crate::message::SystemKind;
use crate::session::{EndReason, Phase, Rules, SessionFacts, SessionKind, Step, may_work};
use crate::speech::run_inactive;
use crate::time::Timestamp;

pub(super) fn on(step: &mut Step<'_>, phase: Phase) -> Phase {
    match phase {
        Phase::Completed { .. } => phase,
        Phase::Idle
        | Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => {
            step.say(SystemKind::SessionTimeout, run_inactive(step.rules.watchdog));
            step.close(EndReason::Timeout)
        }
    }
}

/// Whether the watchdog bites.
pub(super) fn is_inactive(facts: &SessionFacts, phase: &Phase, now: Timestamp, rules: &Rules) -> bool {
    let watched = match facts.kind {
        SessionKind::Automation | SessionKind::Agent => true,
        SessionKind::Chat | SessionKind::Seed => false,
    };
    let idle_phase = match phase {
        Phase::Idle => facts.parked.is_none(),
        // Waits have deadlines of their own, and work is active.
        Phase::WaitingCommunicationResponse { .. }
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::WaitingValidation { .. }
        | Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingNetworkRetry { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => false,
    };
    watched
        && idle_phase
        && may_work(facts)
        && rules.watchdog.0 > 0
        && now.since(facts.last_event_at) >= rules.watchdog
}
