//! Resumes sessions that waited for the network once it is back, each after a random delay, so that they do not
//! all start together. The delays are in memory only; the wait in a session's row remains and ends by its own
//! deadline.

use std::collections::BTreeMap;

use entracte_domain::id::SessionId;
use entracte_domain::session::{Input, Phase};
use entracte_domain::time::Timestamp;

use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::lookups::draw_jitter;
use crate::runtime::turn::placement::{draft_session, request_sessions_together};
use crate::runtime::turn::stage::TurnStage;

/// Handles a provider that is reachable again.
pub(crate) fn queue_network_resumes(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    provider: &str,
) -> Result<(), TurnStop> {
    let placed: Vec<SessionId> = turn.memory.seats.keys().cloned().collect();
    request_sessions_together(turn, draft, &placed)?;
    let looks = placed.into_iter().map(|session| TurnStage::NetworkBack(session, provider.to_owned()));
    draft.aside.next.extend(looks.chain([TurnStage::GoOnByNetwork]));
    Ok(())
}

/// Schedules a session that waited for this provider to resume after a short delay.
pub(crate) fn schedule_network_resume(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    provider: &str,
) -> Result<(), TurnStop> {
    if !draft_session(turn, draft, session)? {
        return Ok(());
    }
    let waits = draft.sessions.get(session).is_some_and(|drafted| {
        matches!(drafted.phase, Phase::WaitingNetworkRetry { .. }) && drafted.facts.provider == provider
    });
    if waits {
        let moment = draft.now.plus(draw_jitter(turn, draft)?);
        resumptions_mut(turn, draft).insert(session.clone(), moment);
    }
    Ok(())
}

/// Resumes the sessions whose delay is over.
pub(crate) fn resume_due_after_network(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
) -> Result<(), TurnStop> {
    let all = draft.aside.going_on.as_ref().unwrap_or(turn.memory.going_on);
    let come = all.iter().filter(|(_, at)| **at <= draft.now);
    let come: Vec<SessionId> = come.map(|(session, _)| session.clone()).collect();
    request_sessions_together(turn, draft, &come)?;
    draft.aside.next.extend(come.into_iter().map(TurnStage::GoOn));
    Ok(())
}

pub(crate) fn resume_after_network(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<(), TurnStop> {
    let is_there = draft_session(turn, draft, session)?;
    resumptions_mut(turn, draft).remove(session);
    // A session that has resumed by itself meanwhile ignores it.
    if is_there { turn.apply_input(draft, session, Input::NetworkAvailable) } else { Ok(()) }
}

fn resumptions_mut<'d>(
    turn: &TurnContext<'_>,
    draft: &'d mut TurnDraft,
) -> &'d mut BTreeMap<SessionId, Timestamp> {
    draft.aside.going_on.get_or_insert_with(|| turn.memory.going_on.clone())
}
