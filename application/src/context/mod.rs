//! The part of a long conversation that a prompt keeps: size estimates, the retained end, and a summary of the
//! rest. Pure; the runtime decides when ([adr
//! 60](../../../docs/adr/0060-a-summary-is-patched-never-rewritten.md)).
//!
//! Code carries the objective, the plan, open and completed work and the identifiers word for word
//! ([`SummaryRecord`], [`summary_text`]). The model only edits numbered items ([`SummaryPatch`]): an item that it
//! does not name stays byte for byte.

mod fold;
mod identifiers;
mod patch;
mod retention;
mod summary_record;
mod summary_text;
mod token_estimate;

pub(crate) use fold::end_of;
pub use fold::{FOLDED_FROM, fold_result, is_long};
pub use identifiers::{IdentifierSource, identifiers};
pub use patch::{
    NOTE_CHARS_MAX, SummaryItemAddition, SummaryItemEdit, SummaryItemRemoval, SummaryItemRemovalReason,
    SummaryItemsLocation, SummaryPatch, SummaryPatchCheck, SummaryPatchFault, apply, patch_instruction,
    read_patch, retry_instruction, slice_instruction,
};
pub use retention::{TurnSize, longest_fitting_tail};
pub use summary_record::SummaryRecord;
pub use summary_text::{
    SummaryOmissions, SummaryOptions, SummaryStateText, insert_left_out, left_out_line,
    longest_left_out_line, notes_most, summary_text,
};
pub use token_estimate::{
    CompactionBudget, ContentSize, PromptBudget, TokenEstimator, TokenSample, least_budget,
};
