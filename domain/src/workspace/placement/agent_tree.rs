//! Agent trees in placement: a tree has one slot, held by its root and shared by its working sessions.

use crate::id::SessionId;
use crate::session::Slot;

use super::{PlacementCandidate, SlotChange};

/// Merges each tree into the candidate of its root. It needs a slot while any member does, and cannot be preempted
/// while any member acts; all other data is the root's.
pub(super) fn collapse_trees(seats: &[PlacementCandidate]) -> Vec<PlacementCandidate> {
    let mut trees: Vec<PlacementCandidate> =
        seats.iter().filter(|seat| is_root(seats, seat)).cloned().collect();
    for child in seats.iter().filter(|seat| !is_root(seats, seat)) {
        let Some(root) = trees.iter_mut().find(|tree| Some(&tree.session) == child.root.as_ref()) else {
            continue;
        };
        root.needs |= child.needs;
        root.acting |= child.acting;
        root.may_rest &= !child.needs || child.may_rest;
        root.last_event_at = root.last_event_at.max(child.last_event_at);
    }
    trees
}

/// Expands slot changes of trees to their agents: a member that works or soon will shares the slot of its root; one
/// that rests or waits for a person has none.
pub(super) fn expand_to_children(
    seats: &[PlacementCandidate],
    trees: &[PlacementCandidate],
    mut moves: Vec<SlotChange>,
) -> Vec<SlotChange> {
    for child in seats.iter().filter(|seat| !is_root(seats, seat)) {
        let root = trees.iter().find(|tree| Some(&tree.session) == child.root.as_ref());
        let moved = moves.iter().find(|one| Some(&one.session) == child.root.as_ref());
        let of_root = moved.map(|one| one.slot).or(root.map(|root| root.slot)).unwrap_or(Slot::None);
        let slot = if has_tree_work(seats, child) { of_root } else { Slot::None };
        if slot != child.slot {
            moves.push(SlotChange { session: child.session.clone(), slot });
        }
    }
    moves
}

/// Whether a candidate has work, or waits for agents that have. Trees are small, so recursion is cheap.
fn has_tree_work(seats: &[PlacementCandidate], seat: &PlacementCandidate) -> bool {
    seat.needs
        || seats.iter().any(|below| below.from.as_ref() == Some(&seat.session) && has_tree_work(seats, below))
}

/// Whether a candidate stands alone: it is not an agent, or the root of its tree is missing.
fn is_root(seats: &[PlacementCandidate], seat: &PlacementCandidate) -> bool {
    let has_root = |root: &SessionId| seats.iter().any(|other| other.session == *root);
    !seat.root.as_ref().is_some_and(has_root)
}
