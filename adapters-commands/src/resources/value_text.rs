//! Text helpers for descriptions.

#[cfg(feature = "resources")]
use entracte_application::texts::{LocalizedTexts, say};

/// “yes” or “no”.
#[cfg(feature = "resources")]
pub(crate) fn truth(texts: &LocalizedTexts, truth: bool) -> String {
    if truth { say!(texts, "resources-yes") } else { say!(texts, "resources-no") }
}

/// `text` shortened for a sentence; the fields show all of it.
pub(crate) fn short(text: &str) -> String {
    if text.chars().count() <= MOST_CHARS {
        return text.to_owned();
    }
    let kept: String = text.chars().take(MOST_CHARS).collect();
    format!("{kept}…")
}

/// The first [`MOST_SAID`] items, and the number of further ones.
#[cfg(feature = "resources")]
pub(crate) fn first_of(texts: &LocalizedTexts, all: impl ExactSizeIterator<Item = String>) -> String {
    let left = all.len().saturating_sub(MOST_SAID);
    let mut parts: Vec<String> = all.take(MOST_SAID).collect();
    if left > 0 {
        parts.push(say!(texts, "resources-more", count = left));
    }
    joined(texts, parts.into_iter())
}

/// The parts joined into an enumeration.
#[cfg(feature = "resources")]
pub(crate) fn joined(texts: &LocalizedTexts, parts: impl Iterator<Item = String>) -> String {
    parts
        .reduce(|first, next| say!(texts, "resources-joined", first = first, next = next))
        .unwrap_or_default()
}

/// The most characters of a value in a sentence.
const MOST_CHARS: usize = 80;
/// The most entries named in a sentence; the fields name all.
#[cfg(feature = "resources")]
const MOST_SAID: usize = 5;
