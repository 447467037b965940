//! The faults of a patch, worded for the model.

use crate::settings::Language;
use crate::texts::{LocalizedMessage, LocalizedTexts, say};

/// Maximum faults listed at once; further ones are counted.
const TOLD: usize = 20;

/// A fault of a patch. `at` is the JSON pointer of the operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SummaryPatchFault {
    /// The answer is empty.
    Empty,
    /// The answer has several objects, or one that cannot be parsed.
    NoJson {
        /// Description of the fault.
        says: LocalizedMessage,
    },
    /// A field that patches do not have.
    UnknownField {
        /// JSON pointer of the operation.
        at: String,
        /// Its name.
        field: String,
    },
    /// A value of the wrong type.
    Shape {
        /// JSON pointer of the operation.
        at: String,
        /// The expected form.
        expected: &'static str,
    },
    /// A key without an item.
    UnknownKey {
        /// JSON pointer of the operation.
        at: String,
        /// The key.
        key: u32,
    },
    /// An item that another operation names too.
    Twice {
        /// JSON pointer of the operation.
        at: String,
        /// The key.
        key: u32,
    },
    /// A keyword outside the allowed ones.
    UnknownWord {
        /// JSON pointer of the operation.
        at: String,
        /// The unknown keyword.
        word: String,
        /// The allowed keywords.
        words: &'static [&'static str],
    },
    /// An item without text.
    NoText {
        /// JSON pointer of the operation.
        at: String,
    },
    /// An item that is too long.
    Long {
        /// JSON pointer of the operation.
        at: String,
        /// Maximum characters.
        most: usize,
    },
    /// An identifier that differs from the model's input. An altered one is worse than none.
    Altered {
        /// JSON pointer of the operation.
        at: String,
        /// The identifier as the model wrote it.
        identifier: String,
    },
    /// The patch drops more than a third of the facts.
    Facts {
        /// Number of dropped facts.
        dropped: usize,
        /// Number of existing facts.
        facts: usize,
    },
    /// The items exceed their share.
    Size {
        /// Characters of all items.
        size: usize,
        /// Maximum characters.
        most: usize,
    },
}

/// The faults as lines for the model.
pub(super) fn lines(language: Language, faults: &[SummaryPatchFault]) -> String {
    let texts = LocalizedTexts::for_language(language);
    let mut lines: Vec<String> = faults.iter().take(TOLD).map(|fault| line(texts, fault)).collect();
    if let Some(more) = faults.len().checked_sub(TOLD).filter(|&more| more > 0) {
        lines.push(say!(texts, "context-fault-many", count = more));
    }
    lines.join("\n")
}

fn line(texts: &LocalizedTexts, fault: &SummaryPatchFault) -> String {
    match fault {
        SummaryPatchFault::Empty => say!(texts, "context-fault-empty"),
        SummaryPatchFault::NoJson { says } => say!(texts, "context-fault-no-json", says = says.render(texts)),
        SummaryPatchFault::UnknownField { at, field } => {
            say!(texts, "context-fault-field", at = at, field = field)
        }
        SummaryPatchFault::Shape { at, expected } => {
            say!(texts, "context-fault-shape", at = at, expected = *expected)
        }
        SummaryPatchFault::UnknownKey { at, key } => {
            say!(texts, "context-fault-key", at = at, key = key.to_string())
        }
        SummaryPatchFault::Twice { at, key } => {
            say!(texts, "context-fault-twice", at = at, key = key.to_string())
        }
        SummaryPatchFault::UnknownWord { at, word, words } => {
            say!(texts, "context-fault-unknown-word", at = at, word = word, words = words.join(", "))
        }
        SummaryPatchFault::NoText { at } => say!(texts, "context-fault-no-text", at = at),
        SummaryPatchFault::Long { at, most } => say!(texts, "context-fault-long", at = at, most = *most),
        SummaryPatchFault::Altered { at, identifier } => {
            say!(texts, "context-fault-identifier", at = at, identifier = identifier)
        }
        SummaryPatchFault::Facts { dropped, facts } => {
            let most = facts / 3;
            say!(texts, "context-fault-facts", dropped = *dropped, facts = *facts, most = most)
        }
        SummaryPatchFault::Size { size, most } => {
            say!(texts, "context-fault-size", size = *size, most = *most)
        }
    }
}
