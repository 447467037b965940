//! A workspace: who of its sessions may work.

mod placement;

pub use placement::{
    Activation, Move, Seat, SlotRules, activation, gives_way_at, has_room_for_run, place, queue, vacate,
};
