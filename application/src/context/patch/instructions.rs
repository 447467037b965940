//! What a model is asked when its conversation no longer fits.

use entracte_domain::session::{Dialect, SummaryItem};

use super::SummaryPatchFault;
use super::fault::lines;
use crate::context::summary_text::item_line;
use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

/// Where the notes stand that there are already.
#[derive(Clone, Copy, Debug)]
pub enum SummaryItemsLocation<'a> {
    /// There are none.
    None,
    /// In the summary of before, which stands in the request.
    InRecord,
    /// With what is asked: a piece of the conversation alone is read.
    Here(&'a [SummaryItem]),
}

/// Asks for a patch; stands at the end of the request that no longer fits.
pub fn patch_instruction(
    language: Language,
    dialect: Dialect,
    notes: SummaryItemsLocation<'_>,
    most_chars: usize,
) -> String {
    let texts = LocalizedTexts::for_language(language);
    let told = match notes {
        SummaryItemsLocation::None | SummaryItemsLocation::Here([]) => say!(texts, "context-ask-none"),
        SummaryItemsLocation::InRecord => say!(texts, "context-ask-notes"),
        SummaryItemsLocation::Here(items) => {
            let lines: Vec<String> = items.iter().map(|item| item_line(texts, item)).collect();
            say!(texts, "context-ask-notes-here", notes = lines.join("\n"))
        }
    };
    let asked = say!(texts, "context-ask", notes = told, most = most_chars);
    in_dialect(texts, dialect, asked)
}

/// What is said before that where one piece of the conversation is read alone.
pub fn slice_instruction(language: Language) -> String {
    say!(LocalizedTexts::for_language(language), "context-ask-piece")
}

/// Asks once more, with what was wrong.
pub fn retry_instruction(language: Language, dialect: Dialect, faults: &[SummaryPatchFault]) -> String {
    let texts = LocalizedTexts::for_language(language);
    in_dialect(texts, dialect, say!(texts, "context-ask-again", faults = lines(language, faults)))
}

fn in_dialect(texts: &LocalizedTexts, dialect: Dialect, asked: String) -> String {
    match dialect {
        Dialect::Tools => asked,
        Dialect::Envelope => format!("{asked}\n{}", say!(texts, "context-ask-envelope")),
    }
}
