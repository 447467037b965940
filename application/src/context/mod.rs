//! What a prompt keeps of a long conversation: how large things are, what of the end stays as it is, and a summary
//! of the rest. Pure; the runtime says when ([adr 60](../../../docs/adr/0060-a-summary-is-patched-never-rewritten.md)).
//!
//! The objective, the plan, what is open, what was done and the identifiers are carried by code, word for word
//! ([`Record`], [`summary_text`]). The model only changes numbered items ([`Patch`]): an item that it does not name
//! stays byte for byte.

mod fold;
mod identifiers;
mod kept;
mod parts;
mod patch;
mod record;
mod size;

pub(crate) use fold::end_of;
pub use fold::{FOLDED_FROM, folded, is_long};
pub use identifiers::{Source, identifiers};
pub use kept::{Piece, kept_end};
pub use parts::{Manner, Standing, notes_most, summary_text};
pub use patch::{
    Added, Changed, Checked, Dropped, NOTE_CHARS_MAX, Notes, Patch, PatchFault, Why, apply, ask, ask_again,
    ask_of_piece, read_patch,
};
pub use record::Record;
pub use size::{Ruler, Shares, least_budget, shares};
