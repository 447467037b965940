//! A workspace: who of its sessions may work.

mod family;
mod placement;

pub use family::{ParentChildEvent, deepest_first, family_news};
pub use placement::{
    ActivationResult, PlacementCandidate, SlotChange, SlotRules, activation, gives_way_at, has_room_for_run,
    place, queue, vacate,
};
