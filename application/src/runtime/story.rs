//! What the log of a process tells of a round: one trace id in every line and span of it, and at `debug` its story.
//!
//! The id is derived, like every other id of a session: a round that goes on in another process keeps its id.

use entracte_domain::id::SessionId;
use entracte_domain::session::{Phase, SessionFacts};
use entracte_domain::time::Millis;
use tracing::Span;

use super::draft::Drafted;
use crate::system::sha256;

/// Letters of a trace id, as OpenTelemetry has them: 16 bytes.
const TRACE_LETTERS: usize = 32;

/// The id of a round.
pub(super) fn trace(session: &SessionId, round: u32) -> String {
    let digest = sha256(format!("round {session} {round}").as_bytes()).to_string();
    digest.chars().take(TRACE_LETTERS).collect()
}

/// What every line of a round is in. It counts at every level, so that a warning has the id too.
pub(super) fn span(session: &SessionId, round: u32) -> Span {
    tracing::error_span!("round", trace = trace(session, round), %session, round)
}

/// The span of the round that a session is in, or was in last.
pub(super) fn span_of(drafted: &Drafted) -> Span {
    match drafted.facts.counters.rounds_total {
        0 => Span::none(),
        round => span(&drafted.facts.id, round),
    }
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
pub(super) type Told = Option<(u32, Millis)>;

/// Tells where a session stands with its rounds, as far as that changed.
pub(super) fn tell(drafted: &Drafted, told: Told, now: Millis) -> Told {
    let round = under_way(&drafted.facts, &drafted.phase);
    if round == told.map(|(round, _)| round) {
        return told;
    }
    let session = &drafted.facts.id;
    if let Some((ended, since)) = told {
        let took = now.0.saturating_sub(since.0);
        let phase = drafted.phase.label().word();
        span(session, ended).in_scope(|| tracing::debug!(took_ms = took, phase, "the round rests"));
    }
    let round = round?;
    let reason = drafted.phase.round().map(|round| round.reason.word());
    span(session, round).in_scope(|| tracing::debug!(reason, "the round begins"));
    Some((round, now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{Story, session};

    #[test]
    fn a_round_keeps_its_id_and_no_other_has_it() {
        let id = trace(&session(), 1);
        assert_eq!(id, trace(&session(), 1));
        assert!(id.len() == 32 && id.chars().all(|letter| letter.is_ascii_hexdigit()), "{id}");
        assert_ne!(id, trace(&session(), 2));
        assert_ne!(id, trace(&SessionId::new("ses_other"), 1));
    }

    #[test]
    fn a_round_is_told_when_it_begins_and_when_it_rests() {
        let at = |story: &Story, told, now| {
            let drafted = Drafted { facts: story.facts.clone(), phase: story.phase.clone(), stored: None };
            tell(&drafted, told, Millis(now))
        };
        let rests = Story::chat();
        assert_eq!(at(&rests, None, 5), None);
        let works = Story::chat().asked();
        assert_eq!(at(&works, None, 7), Some((1, Millis(7))));
        assert_eq!(at(&works, Some((1, Millis(7))), 9), Some((1, Millis(7))), "it is told once");
        assert_eq!(at(&rests, Some((1, Millis(7))), 9), None);
    }
}
