//! Rights and approvals of a session whose callers may not be in the draft yet.

use std::sync::Arc;

use entracte_domain::id::SessionId;
use entracte_domain::session::{ApprovalRecheck, Phase, SessionFacts};

use super::context::{TurnContext, TurnStop};
use super::draft::TurnDraft;
use super::placement::{draft_session, request_sessions_together};
use super::questions::WaitingSessionsQuestion;
use super::rights::{find_drafted_rechecks, recheck_drafted_session, restrict_to_drafted_ancestors};
use super::stage::TurnStage;
use crate::runtime::session_draft::SessionDraft;

/// Puts the sessions above an agent's session into the draft.
fn draft_ancestors(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    facts: &SessionFacts,
) -> Result<(), TurnStop> {
    let mut above = facts.agent.as_ref().map(|agent| agent.from.clone());
    while let Some(id) = above {
        if !draft_session(turn, draft, &id)? {
            break;
        }
        let agent = draft.sessions.get(&id).and_then(|drafted| drafted.facts.agent.as_ref());
        above = agent.map(|agent| agent.from.clone());
    }
    Ok(())
}

/// The facts of a session with its current rights: a right that any session above it lost meanwhile is lost for it
/// too.
pub(super) fn restrict_to_current_rights(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    facts: &Arc<SessionFacts>,
) -> Result<Arc<SessionFacts>, TurnStop> {
    draft_ancestors(turn, draft, facts)?;
    Ok(restrict_to_drafted_ancestors(draft, facts))
}

/// Checks again which approval a session's waiting calls need. Returns `true` if it changed, or a plan is now
/// required first, and the state machine received that.
pub(super) fn recheck_session(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<bool, TurnStop> {
    if let Some(SessionDraft { facts, phase, .. }) = draft.sessions.get(session)
        && phase.batch().is_some()
    {
        let facts = Arc::clone(facts);
        draft_ancestors(turn, draft, &facts)?;
    }
    recheck_drafted_session(turn, draft, session)
}

/// The changes in the approval that the waiting calls of this phase need.
pub(super) fn find_rechecks(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    facts: &Arc<SessionFacts>,
    phase: &Phase,
) -> Result<Vec<ApprovalRecheck>, TurnStop> {
    if phase.batch().is_some() {
        draft_ancestors(turn, draft, facts)?;
    }
    find_drafted_rechecks(turn, draft, facts, phase)
}

/// Checks again which approval the calls of all waiting sessions need, so that the inbox shows the current reasons.
/// Calls of other sessions are checked before they start.
pub(super) fn queue_rechecks(turn: &TurnContext<'_>, draft: &mut TurnDraft) -> Result<(), TurnStop> {
    let waiting = turn.ask(WaitingSessionsQuestion)?;
    request_sessions_together(turn, draft, waiting)?;
    let drafted = draft.sessions.keys();
    let rechecks: Vec<TurnStage> = waiting.iter().chain(drafted).cloned().map(TurnStage::Recheck).collect();
    draft.aside.next.extend(rechecks);
    Ok(())
}
