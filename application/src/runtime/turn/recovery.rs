//! Recovery after a process died: nothing is guessed, each effect under way becomes an ordinary input, and the
//! state machine decides.

use entracte_domain::call::{CallOutcome, CallState};
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::failure::{FailureClass, ModelFailure};
use entracte_domain::session::{Effect, Input, SummaryFault, desired_effects};
use entracte_domain::time::{Millis, Timestamp};

use crate::planted_bugs::{PlantedBug, is_planted};
use crate::runtime::call_timeout::call_timeout;
use crate::runtime::round_spans::span_of;
use crate::runtime::session_draft::SessionDraft;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::rights::recheck_drafted_session;
use crate::texts::{LocalizedTexts, say};

/// Records what a dead process or worker left under way in a drafted session.
pub(crate) fn recover_session(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<(), TurnStop> {
    if is_planted(PlantedBug::RepeatedAction) {
        return Ok(());
    }
    recheck_drafted_session(turn, draft, session)?;
    let Some(drafted) = draft.sessions.get(session) else { return Ok(()) };
    let started = turn.memory.started_at;
    let texts = LocalizedTexts::for_language(turn.memory.settings.language);
    let found = desired_effects(&drafted.facts, &drafted.phase, draft.now);
    let inputs: Vec<Input> = found
        .into_iter()
        .filter_map(|effect| {
            let lands_by = |call: &CallId| latest_effect_time(turn, drafted, call, draft.now);
            lost_effect_input(effect, started, texts, lands_by)
        })
        .collect();
    let known = turn.memory.sessions.get(session).and_then(|live| live.round.as_ref());
    let span = span_of(drafted, known);
    let _in_round = span.enter();
    for input in inputs {
        tracing::info!(%session, input = input.label(), "recovering the work of a process that died");
        turn.apply_input(draft, session, input)?;
    }
    Ok(())
}

/// Until when a sent call may still take effect. Its owner sends it within the call's time limit, counted from
/// the start mark, and aborts it then; a call without a limit is sent within the lease.
fn latest_effect_time(
    turn: &TurnContext<'_>,
    drafted: &SessionDraft,
    id: &CallId,
    now: Timestamp,
) -> Option<Timestamp> {
    let call = drafted.phase.batch()?.call(id)?;
    let CallState::Started { at, .. } = &call.state else { return None };
    let timeout = call_timeout(turn.memory.catalog, turn.memory.rules, &drafted.facts, call);
    let (since, span) = match timeout.0 > 0 {
        true => (*at, timeout),
        false => (turn.memory.started_at.max(*at), turn.memory.runtime.lease),
    };
    // The clock may have been set meanwhile: the wait is never longer than this.
    let left = since.plus(span).since(now).min(span);
    (left.0 > 0).then(|| now.plus(left))
}

/// The input for a lost effect; `None` for a question to the policy hook, and for local plans, which are part of a commit
/// and cannot be lost.
fn lost_effect_input(
    effect: Effect,
    started: Timestamp,
    texts: &LocalizedTexts,
    lands_by: impl FnOnce(&CallId) -> Option<Timestamp>,
) -> Option<Input> {
    match effect {
        Effect::CallModel { round, attempt, .. } => Some(Input::ProviderErrorOccurred {
            round,
            attempt,
            failure: ModelFailure {
                class: FailureClass::Lost,
                message: say!(texts, "provider-stopped"),
                retry_after: None,
                jitter: Millis(0),
                found_by_start: Some(started),
                instead: None,
            },
            usage: None,
        }),
        Effect::RunCall { call, attempt } | Effect::AskCall { call, attempt } => Some(Input::CallFinished {
            outcome: CallOutcome::Lost { found_by_start: Some(started), lands_by: lands_by(&call) },
            call,
            attempt,
        }),
        Effect::Compact { round, attempt, .. } => Some(Input::CompactionFailed {
            round,
            attempt,
            message: say!(texts, "summary-stopped"),
            fault: SummaryFault::Died(started),
            asked: None,
            usage: None,
        }),
        // The hook only reads, and is asked again.
        Effect::AskPolicy { .. } | Effect::PlanCall { .. } => None,
    }
}
