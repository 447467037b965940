//! What the log of a process tells of a round: one trace id in every line and span of it, and at `debug` its story.

use entracte_domain::id::CallId;
use entracte_domain::session::{Phase, SessionFacts};
use entracte_domain::time::Millis;
use tracing::Span;

use super::trace_id::round_trace_id;
use super::turn_draft::SessionDraft;
use crate::ports::{Observer, RoundTrace, RuntimeObservation};

/// What every line of a session is in. It counts at every level, so that a warning has the id too.
fn session_span(facts: &SessionFacts) -> Span {
    let (workspace, session, kind) = (&facts.workspace, &facts.id, facts.kind.word());
    tracing::error_span!("session", %workspace, %session, kind)
}

/// What every line of a round is in, within that of its session. Made for each piece of work: what belongs together has the
/// same trace.
fn span(facts: &SessionFacts, round: u32) -> Span {
    let session = &facts.id;
    tracing::error_span!(parent: &session_span(facts), "round", trace = round_trace_id(session, round), %session, round)
}

/// The span of the round that a session is in, or was in last; before its first one that of the session.
pub(super) fn span_of(drafted: &SessionDraft) -> Span {
    match drafted.facts.counters.rounds_total {
        0 => session_span(&drafted.facts),
        round => span(&drafted.facts, round),
    }
}

/// What every line of an attempt of a model call is in: those of the provider's adapter, too.
pub(super) fn model_call_span(provider: &str, model: &str, attempt: u32) -> Span {
    tracing::info_span!("model call", provider, model, attempt)
}

/// What every line of a call is in: those of its executor, too.
pub(super) fn call_span(call: &CallId, command: &str, attempt: u32, is_asked: bool) -> Span {
    tracing::info_span!("call", %call, command, attempt, is_asked)
}

/// The round that a session is at work on. A wait for a person is no work: it may take days.
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

/// The round that a session in memory is at work on, and since when on the clock that only goes on.
pub(super) type RoundStart = Option<(u32, Millis)>;

/// Whether work on a round is not its beginning: something of it was waited for, or lost.
fn is_resumed(phase: &Phase) -> bool {
    !matches!(phase, Phase::CallingAi(round) if round.attempt == 1)
}

/// Tells where a session stands with its rounds, as far as that changed.
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
    fn a_round_is_told_when_it_begins_and_when_it_rests() {
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
