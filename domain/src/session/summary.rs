//! What a session keeps of the rounds that left its prompt.

use crate::id::CallId;

/// What stands in the prompt in place of the older rounds, with what the next summary builds on. Nothing of the
/// log is deleted by it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ContextSummary {
    /// Its whole text, as the model reads it.
    pub text: String,
    /// What the model wrote down so far, by ascending key. Some may be left out of the text: they stay here.
    pub items: Vec<SummaryItem>,
    /// Sequence from which on entries of the log stay in the prompt behind the summary: that of a reply, or one after
    /// the last where nothing stays. None in journals of before, where the last user message stays, and of what came
    /// after it as much as fitted into 32,000 bytes.
    pub kept_from: Option<u64>,
    /// Calls behind the summary whose long results are shortened in the prompt.
    pub folded: Vec<CallId>,
    /// Sequence of the last entry of the log that the items cover. A mechanical summary leaves it where it was, so
    /// that the next patch covers what this one did not read.
    pub covers_to: u64,
    /// How it was made.
    pub method: SummaryMethod,
}

/// One thing that a model wrote down so that it outlasts the rounds that it stands in. Only a patch that names its
/// key changes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SummaryItem {
    /// Its number; given once in a session, and never to another item.
    pub key: u32,
    /// What it is.
    pub kind: SummaryItemKind,
    /// What it says.
    pub text: String,
    /// To whom a promise was made.
    pub to: Option<String>,
}

crate::words! {
    /// What an item of a summary is.
    #[derive(PartialOrd, Ord)]
    pub enum SummaryItemKind {
        /// Something that is so.
        Fact = "fact",
        /// Something that was decided.
        Decision = "decision",
        /// Something that was promised to somebody.
        Promise = "promise",
        /// Something that is not done yet.
        Open = "open",
    }
}

crate::words! {
    /// How a summary is made.
    #[derive(PartialOrd, Ord)]
    pub enum SummaryMethod {
        /// The model changed numbered items, at the end of the round's own request.
        Patch = "patch",
        /// The model changed numbered items, and read the rounds in words.
        Words = "words",
        /// No model was asked, or its answers were of no use: code alone.
        Mechanical = "mechanical",
    }
}
