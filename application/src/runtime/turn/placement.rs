//! Puts sessions into the draft.

use entracte_domain::id::SessionId;

use super::context::{TurnContext, TurnStop};
use super::draft::TurnDraft;
use super::questions::{SessionRowQuestion, SessionRowsQuestion};
use super::recovery::recover_session;
use crate::ports::StoreError;
use crate::runtime::session_draft::SessionDraft;

/// A committed session on its way into the draft.
struct PlacedSession {
    id: SessionId,
    session: SessionDraft,
    /// Whether a previous worker may have left work of it under way.
    needs_recovery: bool,
}

impl PlacedSession {
    /// Whether its recovery checks calls again, under the rights of the sessions above it.
    fn needs_ancestors(&self) -> bool {
        self.needs_recovery && self.session.phase.batch().is_some()
    }
}

/// Puts a session into the draft; `false` if the workspace has no such session. Work that a previous worker left
/// under way is recorded as lost before any other input, so that reading a session never runs anything twice. A
/// caller whose rights this needs is put there, and recovered, before its agent.
pub(super) fn draft_session(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    id: &SessionId,
) -> Result<bool, TurnStop> {
    if draft.sessions.contains_key(id) {
        return Ok(true);
    }
    let mut path: Vec<PlacedSession> = Vec::new();
    let mut next = Some(id.clone());
    while let Some(id) = next.take() {
        let above = match draft.sessions.get(&id) {
            Some(drafted) => caller_of(drafted),
            None => match find_committed(turn, draft, id)? {
                Some(placed) => {
                    let above = caller_of(&placed.session);
                    path.push(placed);
                    above
                }
                None => None,
            },
        };
        next = above.filter(|_| path.iter().any(PlacedSession::needs_ancestors));
    }
    for PlacedSession { id, session, needs_recovery } in path.into_iter().rev() {
        draft.sessions.insert(id.clone(), session);
        if needs_recovery && let Err(stop) = recover_session(turn, draft, &id) {
            if matches!(stop, TurnStop::Need(_)) {
                // A session enters the draft only drafted and recovered.
                draft.sessions.remove(&id);
            }
            return Err(stop);
        }
    }
    Ok(draft.sessions.contains_key(id))
}

/// The committed session; `None` if the workspace has none with this id.
fn find_committed(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    id: SessionId,
) -> Result<Option<PlacedSession>, TurnStop> {
    if draft.is_deleted(&id) {
        return Ok(None);
    }
    if let Some(live) = turn.memory.sessions.get(&id) {
        return Ok(Some(PlacedSession { id, session: live.session.clone(), needs_recovery: false }));
    }
    let row = match turn.ask(SessionRowQuestion(id.clone()))? {
        Ok(Some(row)) => row,
        Ok(None) => return Ok(None),
        Err(why) => return Err(StoreError::Inconsistent(why.clone()).into()),
    };
    let needs_recovery = !turn.memory.own.contains(&id);
    Ok(Some(PlacedSession { id, session: SessionDraft::from_row(row)?, needs_recovery }))
}

fn caller_of(session: &SessionDraft) -> Option<SessionId> {
    session.facts.agent.as_ref().map(|agent| agent.from.clone())
}

/// Requests all of these sessions that are not known yet together, so that a stage stops once for all of them.
pub(super) fn request_sessions_together(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    sessions: &[SessionId],
) -> Result<(), TurnStop> {
    let is_known = |id: &SessionId| {
        draft.sessions.contains_key(id)
            || draft.is_deleted(id)
            || turn.memory.sessions.contains_key(id)
            || turn.known(&SessionRowQuestion(id.clone())).is_some()
    };
    let unread: Vec<SessionId> = sessions.iter().filter(|id| !is_known(id)).cloned().collect();
    if unread.is_empty() { Ok(()) } else { Err(TurnStop::Need(Box::new(SessionRowsQuestion(unread)))) }
}
