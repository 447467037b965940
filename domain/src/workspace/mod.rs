//! A workspace: who of its sessions may work.

mod placement;

pub use placement::{Move, Seat, SlotRules, place};
