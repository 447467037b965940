//! A model's edits of its summary items: it names the items to change, and all others stay byte for byte.
//!
//! Each operation is checked separately. A faulty answer is requested once more; of the second one, the valid
//! operations count.

mod fault;
mod instructions;
mod parser;
#[cfg(test)]
mod tests;

use entracte_domain::session::{SummaryItem, SummaryItemKind};

pub use fault::SummaryPatchFault;
pub use instructions::{SummaryItemsLocation, patch_instruction, retry_instruction, slice_instruction};
pub use parser::{SummaryPatchCheck, read_patch};

/// Maximum characters of one item.
pub const NOTE_CHARS_MAX: usize = 1_000;

/// A model's edits of its summary items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryPatch {
    /// New items.
    pub add: Vec<SummaryItemAddition>,
    /// Items with a new text.
    pub change: Vec<SummaryItemEdit>,
    /// Removed items.
    pub drop: Vec<SummaryItemRemoval>,
}

/// A new item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryItemAddition {
    /// Kind of the item.
    pub kind: SummaryItemKind,
    /// Text of the item.
    pub text: String,
    /// The recipient of a promise.
    pub to: Option<String>,
}

/// An item with a new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryItemEdit {
    /// Key of the item.
    pub key: u32,
    /// The new text.
    pub text: String,
}

/// The removal of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryItemRemoval {
    /// Key of the item.
    pub key: u32,
    /// Reason of the removal.
    pub why: SummaryItemRemovalReason,
}

entracte_domain::words! {
    /// Why an item is removed.
    pub enum SummaryItemRemovalReason {
        /// Its work is done.
        Done = "done",
        /// Its work will not be done.
        Cancelled = "cancelled",
        /// It was replaced by something else.
        Superseded = "superseded",
        /// It was never true.
        Wrong = "wrong",
    }
}

impl SummaryPatch {
    /// Whether the patch changes nothing.
    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.change.is_empty() && self.drop.is_empty()
    }
}

/// The items after a patch, by ascending key, with new ones last. A patch of an unknown key is ignored.
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
