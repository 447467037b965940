//! Puts sessions into the draft, and assigns their slots.

use entracte_domain::id::SessionId;
use entracte_domain::session::{Input, Slot};
use entracte_domain::workspace::{PlacementCandidate, SlotChange, assign_slots, release_all_slots};

use super::{FactRequest, TurnStop, WorkspaceTurn};
use crate::ports::StoreError;
use crate::runtime::turn_draft::{SessionDraft, TurnDraft};
use crate::runtime::turn_stages::TurnStage;

impl WorkspaceTurn<'_> {
    /// Assigns slots, in at most `passes` passes; each settles the sessions it moves.
    pub(super) fn assign_slots(&self, draft: &mut TurnDraft, passes: usize) -> Result<(), TurnStop> {
        let Some(left) = passes.checked_sub(1) else { return Ok(()) };
        let seats = self.seats_with(draft);
        let moves = match self.memory.is_leaving {
            true => release_all_slots(&seats, draft.now),
            false => assign_slots(&seats, &draft.body.settings.slot_rules(), draft.now),
        };
        if moves.is_empty() {
            return Ok(());
        }
        let moved: Vec<SessionId> = moves.iter().map(|change| change.session.clone()).collect();
        self.request_sessions_together(draft, &moved)?;
        draft.aside.next.extend(moves.into_iter().map(TurnStage::Move));
        draft.aside.next.push(TurnStage::PlaceAgain(left));
        Ok(())
    }

    pub(super) fn move_session(&self, draft: &mut TurnDraft, change: &SlotChange) -> Result<(), TurnStop> {
        if !self.draft_session(draft, &change.session)? {
            return Ok(());
        }
        // With its slot a session may start calls that were approved long ago.
        self.recheck(draft, &change.session)?;
        self.apply_input(draft, &change.session, Input::StandingChanged { slot: change.slot })
    }

    /// The placement candidates including this draft.
    pub(super) fn seats_with(&self, draft: &TurnDraft) -> Vec<PlacementCandidate> {
        let mut seats = self.memory.seats.clone();
        seats.retain(|session, _| !draft.is_deleted(session));
        for seat in draft.seats() {
            seats.insert(seat.session.clone(), seat);
        }
        seats.into_values().filter(PlacementCandidate::is_placed).collect()
    }

    /// The slot that a session had before this turn.
    pub(super) fn slot_before(&self, session: &SessionId) -> Slot {
        self.memory.seats.get(session).map_or(Slot::None, |seat| seat.slot)
    }

    /// Puts a session into the draft; `false` if the workspace has no such session. Work that a previous worker left
    /// under way is recorded as lost before any other input, so that reading a session never runs anything twice.
    pub(super) fn draft_session(&self, draft: &mut TurnDraft, id: &SessionId) -> Result<bool, TurnStop> {
        if draft.sessions.contains_key(id) {
            return Ok(true);
        }
        if draft.is_deleted(id) {
            return Ok(false);
        }
        if let Some(live) = self.memory.sessions.get(id) {
            draft.sessions.insert(id.clone(), live.session.clone());
            return Ok(true);
        }
        let row = match self.known.sessions.get(id) {
            Some(Ok(Some(row))) => row,
            Some(Ok(None)) => return Ok(false),
            Some(Err(why)) => return Err(StoreError::Inconsistent(why.clone()).into()),
            None => return Err(TurnStop::Need(FactRequest::Sessions(vec![id.clone()]))),
        };
        draft.sessions.insert(id.clone(), SessionDraft::from_row(row)?);
        if !self.memory.own.contains(id)
            && let Err(stop) = self.recover(draft, id)
        {
            if matches!(stop, TurnStop::Need(_)) {
                // A session enters the draft only drafted and recovered.
                draft.sessions.remove(id);
            }
            return Err(stop);
        }
        Ok(true)
    }

    /// Requests all of these sessions that are not known yet together, so that their rows are read in one query.
    pub(super) fn request_sessions_together(
        &self,
        draft: &TurnDraft,
        sessions: &[SessionId],
    ) -> Result<(), TurnStop> {
        let is_known = |id: &SessionId| {
            draft.sessions.contains_key(id)
                || draft.is_deleted(id)
                || self.memory.sessions.contains_key(id)
                || self.known.sessions.contains_key(id)
        };
        let unread: Vec<SessionId> = sessions.iter().filter(|id| !is_known(id)).cloned().collect();
        if unread.is_empty() { Ok(()) } else { Err(TurnStop::Need(FactRequest::Sessions(unread))) }
    }
}
