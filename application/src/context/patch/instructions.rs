//! The instructions to a model whose conversation no longer fits.

use entracte_domain::session::{Dialect, SummaryItem};

use super::SummaryPatchFault;
use super::fault::lines;
use crate::context::summary_text::item_line;
use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

/// The place of the existing items.
#[derive(Clone, Copy, Debug)]
pub enum SummaryItemsLocation<'a> {
    /// There are no items.
    None,
    /// In the previous summary, which is part of the request.
    InRecord,
    /// Next to the instruction, because only a slice of the conversation is read.
    Here(&'a [SummaryItem]),
}

/// The instruction to write a patch, at the end of the request that no longer fits.
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

/// The text before the instruction if only a slice of the conversation is read.
pub fn slice_instruction(language: Language) -> String {
    say!(LocalizedTexts::for_language(language), "context-ask-piece")
}

/// The instruction to try once more, with the faults.
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
