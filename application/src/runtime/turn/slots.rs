//! Assigns the slots of sessions.

use entracte_domain::id::SessionId;
use entracte_domain::session::{Input, Slot};
use entracte_domain::workspace::{PlacementCandidate, SlotChange, assign_slots, release_all_slots};

use crate::runtime::turn::context::{TurnContext, TurnStop, WorkspaceSnapshot};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::placement::{draft_session, request_sessions_together};
use crate::runtime::turn::rechecks::recheck_session;
use crate::runtime::turn::stage::TurnStage;

/// Assigns slots, in at most `passes` passes; each settles the sessions it moves.
pub(crate) fn place_sessions(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    passes: usize,
) -> Result<(), TurnStop> {
    let Some(left) = passes.checked_sub(1) else { return Ok(()) };
    let seats = list_seats(&turn.memory, draft);
    let moves = match turn.memory.is_leaving {
        true => release_all_slots(&seats, draft.now),
        false => assign_slots(&seats, &draft.body.settings.slot_rules(), draft.now),
    };
    if moves.is_empty() {
        return Ok(());
    }
    let moved: Vec<SessionId> = moves.iter().map(|change| change.session.clone()).collect();
    request_sessions_together(turn, draft, &moved)?;
    draft.aside.next.extend(moves.into_iter().map(TurnStage::Move));
    draft.aside.next.push(TurnStage::PlaceAgain(left));
    Ok(())
}

pub(crate) fn move_session(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    change: &SlotChange,
) -> Result<(), TurnStop> {
    if !draft_session(turn, draft, &change.session)? {
        return Ok(());
    }
    // With its slot a session may start calls that were approved long ago.
    recheck_session(turn, draft, &change.session)?;
    turn.apply_input(draft, &change.session, Input::StandingChanged { slot: change.slot })
}

/// The placement candidates including this draft.
pub(crate) fn list_seats(memory: &WorkspaceSnapshot<'_>, draft: &TurnDraft) -> Vec<PlacementCandidate> {
    let mut seats = memory.seats.clone();
    seats.retain(|session, _| !draft.is_deleted(session));
    for seat in draft.seats() {
        seats.insert(seat.session.clone(), seat);
    }
    seats.into_values().filter(PlacementCandidate::is_placed).collect()
}

/// The slot that a session had before this turn.
pub(crate) fn slot_before(memory: &WorkspaceSnapshot<'_>, session: &SessionId) -> Slot {
    memory.seats.get(session).map_or(Slot::None, |seat| seat.slot)
}
