//! The tracing of rounds: every line and span of a round has one trace id, and at `debug` its beginning and end
//! are logged.

use std::sync::Arc;

use entracte_domain::id::{CallId, SessionId};
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

/// What every line and span of a round shares.
#[derive(Clone, Debug)]
struct RoundTracing {
    round: u32,
    /// The trace id.
    trace: Arc<str>,
    /// The span around every log line of the round, within that of its session.
    span: Span,
}

impl RoundTracing {
    fn new(facts: &SessionFacts, round: u32) -> Self {
        let (session, trace) = (&facts.id, Arc::<str>::from(round_trace_id(&facts.id, round)));
        let parent = session_span(facts);
        let span = tracing::error_span!(parent: &parent, "round", trace = &*trace, %session, round);
        Self { round, trace, span }
    }
}

/// The round that a session in memory works on. Its span and trace id are made when it begins and serve all its work.
#[derive(Clone, Debug)]
pub(super) struct RoundProgress {
    shared: RoundTracing,
    /// When it began on the monotonic clock.
    began: Millis,
}

impl RoundProgress {
    /// What the lines and spans of this round share, if it is that round.
    fn tracing_of(&self, round: u32) -> Option<&RoundTracing> {
        (self.shared.round == round).then_some(&self.shared)
    }
}

/// The span of the round that a session is in, or was in last; before its first round the span of the session. `known`
/// is the round that it works on in memory, if any.
pub(super) fn span_of(drafted: &SessionDraft, known: Option<&RoundProgress>) -> Span {
    let round = drafted.facts.counters.rounds_total;
    match known.and_then(|known| known.tracing_of(round)) {
        Some(shared) => shared.span.clone(),
        None if round == 0 => session_span(&drafted.facts),
        None => RoundTracing::new(&drafted.facts, round).span,
    }
}

/// The trace id of a round of a session. `known` is the round that it works on in memory, if any.
pub(super) fn trace_of(session: &SessionId, round: u32, known: Option<&RoundProgress>) -> Arc<str> {
    match known.and_then(|known| known.tracing_of(round)) {
        Some(shared) => shared.trace.clone(),
        None => round_trace_id(session, round).into(),
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

/// Whether work on a round is not its beginning: part of it was waited for, or lost.
fn is_resumed(phase: &Phase) -> bool {
    !matches!(phase, Phase::CallingAi(round) if round.attempt == 1)
}

/// Logs and observes the beginning or end of a session's round, if that changed since `known`.
pub(super) fn report_round(
    drafted: &SessionDraft,
    known: Option<RoundProgress>,
    now: Millis,
    observer: &dyn Observer,
) -> Option<RoundProgress> {
    let round = under_way(&drafted.facts, &drafted.phase);
    if round == known.as_ref().map(|known| known.shared.round) {
        return known;
    }
    let session = &drafted.facts.id;
    if let Some(RoundProgress { shared, began }) = known {
        let took = now.0.saturating_sub(began.0);
        let phase = drafted.phase.label().word();
        shared.span.in_scope(|| tracing::debug!(took_ms = took, phase, "the round rests"));
        observer
            .observe(RuntimeObservation::RoundRested { round: RoundTrace { session, trace: &shared.trace } });
    }
    let shared = RoundTracing::new(&drafted.facts, round?);
    let reason = drafted.phase.round().map(|round| round.reason.word());
    shared.span.in_scope(|| tracing::debug!(reason, "the round begins"));
    let (kind, resumed) = (drafted.facts.kind, is_resumed(&drafted.phase));
    observer.observe(RuntimeObservation::RoundBegan {
        round: RoundTrace { session, trace: &shared.trace },
        kind,
        resumed,
    });
    Some(RoundProgress { shared, began: now })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::MachineSessionFixture;
    use crate::ports::NoopObserver;

    #[test]
    fn round_start_and_rest_are_reported() {
        let at = |story: &MachineSessionFixture, known, now| {
            let drafted = SessionDraft {
                facts: Arc::new(story.facts.clone()),
                phase: story.phase.clone(),
                stored: None,
            };
            report_round(&drafted, known, Millis(now), &NoopObserver)
        };
        let told =
            |known: &Option<RoundProgress>| known.as_ref().map(|known| (known.shared.round, known.began));
        let rests = MachineSessionFixture::chat();
        assert_eq!(told(&at(&rests, None, 5)), None);
        let works = MachineSessionFixture::chat().with_model_called();
        let first = at(&works, None, 7);
        assert_eq!(told(&first), Some((1, Millis(7))));
        assert_eq!(told(&at(&works, first.clone(), 9)), Some((1, Millis(7))), "it is told once");
        assert_eq!(told(&at(&rests, first, 9)), None);
    }
}
