//! What a model changes of its notes: it names items, and what it does not name stays byte for byte.
//!
//! Each operation is looked at by itself. A faulty answer is asked for once more; of the second one, what is sound
//! counts.

mod fault;
mod instructions;
mod parser;
#[cfg(test)]
mod tests;

use entracte_domain::session::{SummaryItem, SummaryItemKind};

pub use fault::SummaryPatchFault;
pub use instructions::{SummaryItemsLocation, patch_instruction, retry_instruction, slice_instruction};
pub use parser::{SummaryPatchCheck, read_patch};

/// The most characters of one note.
pub const NOTE_CHARS_MAX: usize = 1_000;

/// What a model changes of its notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryPatch {
    /// New notes.
    pub add: Vec<SummaryItemAddition>,
    /// Notes with another text.
    pub change: Vec<SummaryItemEdit>,
    /// Notes that go.
    pub drop: Vec<SummaryItemRemoval>,
}

/// A new note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryItemAddition {
    /// What it is.
    pub kind: SummaryItemKind,
    /// What it says.
    pub text: String,
    /// To whom a promise was made.
    pub to: Option<String>,
}

/// A note with another text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryItemEdit {
    /// Which note.
    pub key: u32,
    /// What it says now.
    pub text: String,
}

/// A note that goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryItemRemoval {
    /// Which note.
    pub key: u32,
    /// Why.
    pub why: SummaryItemRemovalReason,
}

entracte_domain::words! {
    /// Why a note goes.
    pub enum SummaryItemRemovalReason {
        /// What it says was done.
        Done = "done",
        /// What it says will not be done.
        Cancelled = "cancelled",
        /// Something else holds instead.
        Superseded = "superseded",
        /// It was never so.
        Wrong = "wrong",
    }
}

impl SummaryPatch {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.change.is_empty() && self.drop.is_empty()
    }
}

/// The notes after a patch: by ascending key, new ones behind all that were there. A key that no note has is passed
/// over.
pub fn apply(items: &[SummaryItem], patch: &SummaryPatch) -> Vec<SummaryItem> {
    let next = items.iter().map(|item| item.key).max().unwrap_or(0);
    let kept = items.iter().filter(|item| patch.drop.iter().all(|dropped| dropped.key != item.key));
    let kept = kept.map(|item| match patch.change.iter().find(|changed| changed.key == item.key) {
        Some(changed) => SummaryItem { text: changed.text.clone(), ..item.clone() },
        None => item.clone(),
    });
    let added = patch.add.iter().zip(1_u32..).map(|(added, number)| SummaryItem {
        key: next.saturating_add(number),
        kind: added.kind,
        text: added.text.clone(),
        to: added.to.clone(),
    });
    kept.chain(added).collect()
}
