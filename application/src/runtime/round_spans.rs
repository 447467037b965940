//! The tracing of rounds: every line and span of a round has one trace id, and at `debug` its beginning and end
//! are logged.

use entracte_domain::id::CallId;
use entracte_domain::session::{Phase, SessionFacts};
use entracte_domain::time::Millis;
use tracing::Span;

use super::session_draft::SessionDraft;
use super::trace_id::round_trace_id;
use crate::ports::{Observer, RoundTrace, RuntimeObservation};

/// The span around every log line of a session. It is enabled at every level, so that a warning has the id too.
fn session_span(facts: &SessionFacts) -> Span {
    let (workspace, session, kind) = (&facts.workspace, &facts.id, facts.kind.word());
    tracing::error_span!("session", %workspace, %session, kind)
}

/// The span around every log line of a round, within that of its session. Created for each piece of work; all of
/// one round share the trace id.
fn span(facts: &SessionFacts, round: u32) -> Span {
    let session = &facts.id;
    tracing::error_span!(parent: &session_span(facts), "round", trace = round_trace_id(session, round), %session, round)
}

/// The span of the round that a session is in, or was in last; before its first round the span of the session.
pub(super) fn span_of(drafted: &SessionDraft) -> Span {
    match drafted.facts.counters.rounds_total {
        0 => session_span(&drafted.facts),
        round => span(&drafted.facts, round),
    }
}

/// The span around one attempt of a model call, including the lines of the provider's adapter.
pub(super) fn model_call_span(provider: &str, model: &str, attempt: u32) -> Span {
    tracing::info_span!("model call", provider, model, attempt)
}

/// The span around a call, including the lines of its executor.
pub(super) fn call_span(call: &CallId, command: &str, attempt: u32, is_asked: bool) -> Span {
    tracing::info_span!("call", %call, command, attempt, is_asked)
}

/// The round that a session works on. A wait for a person is no work: it may take days.
fn under_way(facts: &SessionFacts, phase: &Phase) -> Option<u32> {
    match phase {
        Phase::CallingAi(_)
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingNetworkRetry { .. }
        | Phase::CompactingContext { .. } => Some(facts.counters.rounds_total),
        Phase::Idle
        | Phase::Parked(_)
        | Phase::ExecutingEnrichments(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask => None,
    }
}

/// The round that a session in memory works on, and when it began on the monotonic clock.
pub(super) type RoundStart = Option<(u32, Millis)>;

/// Whether work on a round is not its beginning: part of it was waited for, or lost.
fn is_resumed(phase: &Phase) -> bool {
    !matches!(phase, Phase::CallingAi(round) if round.attempt == 1)
}

/// Logs and observes the beginning or end of a session's round, if that changed since `told`.
pub(super) fn report_round(
    drafted: &SessionDraft,
    told: RoundStart,
    now: Millis,
    observer: &dyn Observer,
) -> RoundStart {
    let round = under_way(&drafted.facts, &drafted.phase);
    if round == told.map(|(round, _)| round) {
        return told;
    }
    let session = &drafted.facts.id;
    if let Some((ended, since)) = told {
        let took = now.0.saturating_sub(since.0);
        let phase = drafted.phase.label().word();
        span(&drafted.facts, ended).in_scope(|| tracing::debug!(took_ms = took, phase, "the round rests"));
        observer.observe(RuntimeObservation::RoundRested {
            round: RoundTrace { session, trace: &round_trace_id(session, ended) },
        });
    }
    let round = round?;
    let reason = drafted.phase.round().map(|round| round.reason.word());
    span(&drafted.facts, round).in_scope(|| tracing::debug!(reason, "the round begins"));
    let (kind, resumed) = (drafted.facts.kind, is_resumed(&drafted.phase));
    let trace = round_trace_id(session, round);
    observer.observe(RuntimeObservation::RoundBegan {
        round: RoundTrace { session, trace: &trace },
        kind,
        resumed,
    });
    Some((round, now))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::kit::MachineSessionFixture;
    use crate::ports::NoopObserver;

    #[test]
    fn round_start_and_rest_are_reported() {
        let at = |story: &MachineSessionFixture, told, now| {
            let drafted = SessionDraft {
                facts: Arc::new(story.facts.clone()),
                phase: story.phase.clone(),
                stored: None,
            };
            report_round(&drafted, told, Millis(now), &NoopObserver)
        };
        let rests = MachineSessionFixture::chat();
        assert_eq!(at(&rests, None, 5), None);
        let works = MachineSessionFixture::chat().with_model_called();
        assert_eq!(at(&works, None, 7), Some((1, Millis(7))));
        assert_eq!(at(&works, Some((1, Millis(7))), 9), Some((1, Millis(7))), "it is told once");
        assert_eq!(at(&rests, Some((1, Millis(7))), 9), None);
    }
}
