//! Context summaries: the replacement of rounds that left the prompt.

use crate::id::CallId;

/// The summary that replaces older rounds in the prompt, with the items that the next summary builds on. The log itself
/// stays complete.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ContextSummary {
    /// Full text, as the model reads it.
    pub text: String,
    /// Items written by the model so far, by ascending key. Items may be left out of the text, but they stay here.
    pub items: Vec<SummaryItem>,
    /// First sequence of the log that stays in the prompt after the summary: that of a reply, or one past the last
    /// entry if nothing stays. `None` in journals of earlier versions, which kept the last user message and up to
    /// 32,000 bytes after it.
    pub kept_from: Option<u64>,
    /// Calls after the summary whose long results are folded in the prompt.
    pub folded: Vec<CallId>,
    /// Sequence of the first reply after the files that leave the prompt with the summary: images and PDFs before it are
    /// only named. `None` if all files after the summary stay.
    pub files_from: Option<u64>,
    /// Sequence of the last log entry that the items cover. A mechanical summary does not advance it, so that the next
    /// patch covers the entries it did not read.
    pub covers_to: u64,
    /// Method of the summary.
    pub method: SummaryMethod,
}

/// A statement that a model recorded so that it outlasts its rounds. Only a patch that names its key changes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SummaryItem {
    /// Number of the item; never reused within a session.
    pub key: u32,
    /// Kind of the item.
    pub kind: SummaryItemKind,
    /// Text of the item.
    pub text: String,
    /// Recipient of a promise, if the item is one.
    pub to: Option<String>,
}

crate::words! {
    /// The kind of a summary item.
    #[derive(PartialOrd, Ord)]
    pub enum SummaryItemKind {
        /// A fact.
        Fact = "fact",
        /// A decision that was made.
        Decision = "decision",
        /// A promise that was made to a person.
        Promise = "promise",
        /// Unfinished work.
        Open = "open",
    }
}

crate::words! {
    /// The method of a summary.
    #[derive(PartialOrd, Ord)]
    pub enum SummaryMethod {
        /// The model patched numbered items, at the end of the round's own request.
        Patch = "patch",
        /// The model patched numbered items, after reading the rounds as plain text.
        Words = "words",
        /// Made by code alone: no model was called, or its answers were unusable.
        Mechanical = "mechanical",
    }
}
