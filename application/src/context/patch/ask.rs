//! What a model is asked when its conversation no longer fits.

use entracte_domain::session::Dialect;

use super::PatchFault;
use super::fault::lines;
use crate::settings::Language;
use crate::texts::{Texts, say};

/// Asks for a patch; stands at the end of the request that no longer fits. `has_notes`: a summary of before, with
/// notes, stands in it.
pub fn ask(language: Language, dialect: Dialect, has_notes: bool, most_chars: usize) -> String {
    let texts = Texts::of(language);
    let notes = if has_notes { "context-ask-notes" } else { "context-ask-none" };
    let asked = say!(texts, "context-ask", notes = say!(texts, notes), most = most_chars);
    in_dialect(texts, dialect, asked)
}

/// Asks once more, with what was wrong.
pub fn ask_again(language: Language, dialect: Dialect, faults: &[PatchFault]) -> String {
    let texts = Texts::of(language);
    in_dialect(texts, dialect, say!(texts, "context-ask-again", faults = lines(language, faults)))
}

fn in_dialect(texts: &Texts, dialect: Dialect, asked: String) -> String {
    match dialect {
        Dialect::Tools => asked,
        Dialect::Envelope => format!("{asked}\n{}", say!(texts, "context-ask-envelope")),
    }
}
