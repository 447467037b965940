//! What is wrong with a patch, in words for the model.

use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

/// Faults that are told at once; the rest is counted.
const TOLD: usize = 20;

/// What is wrong with a patch. `at` is the JSON pointer of the operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SummaryPatchFault {
    /// The answer says nothing.
    Empty,
    /// It has several objects, or one that cannot be read.
    NoJson {
        /// What is wrong with it.
        says: String,
    },
    /// A field that a patch does not have.
    UnknownField {
        /// Where.
        at: String,
        /// Its name.
        field: String,
    },
    /// A value of another type.
    Shape {
        /// Where.
        at: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// A key that no note has.
    UnknownKey {
        /// Where.
        at: String,
        /// The key.
        key: u32,
    },
    /// A note that another operation names too.
    Twice {
        /// Where.
        at: String,
        /// The key.
        key: u32,
    },
    /// Another word than those there are.
    UnknownWord {
        /// Where.
        at: String,
        /// The word.
        word: String,
        /// Those there are.
        words: &'static [&'static str],
    },
    /// A note without words.
    NoText {
        /// Where.
        at: String,
    },
    /// A note that is too long.
    Long {
        /// Where.
        at: String,
        /// The most characters.
        most: usize,
    },
    /// An identifier that the model was not given like this. An altered one is worse than none.
    Altered {
        /// Where.
        at: String,
        /// As the model wrote it.
        identifier: String,
    },
    /// More than a third of the facts would go.
    Facts {
        /// How many would go.
        dropped: usize,
        /// How many there are.
        facts: usize,
    },
    /// The notes would be longer than their share.
    Size {
        /// Their characters.
        size: usize,
        /// The most characters.
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
        SummaryPatchFault::NoJson { says } => say!(texts, "context-fault-no-json", says = says),
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
