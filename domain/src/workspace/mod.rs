//! A workspace: which of its sessions may work.

mod parent_child;
mod placement;

pub use parent_child::{ParentChildEvent, descendants_deepest_first, pending_parent_child_event};
pub use placement::{
    ActivationResult, PlacementCandidate, SlotChange, SlotRules, activation_result, assign_slots,
    has_room_for_run, next_eviction_at, release_all_slots, waiting_queue,
};
