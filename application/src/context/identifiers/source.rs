//! What a model could read, to look up whether it copied an identifier or made one up.

use std::collections::HashSet;

use super::{amount, identifiers};

/// Texts that a model had before it.
pub struct IdentifierSource<'a> {
    texts: Vec<&'a str>,
    identifiers: HashSet<String>,
}

impl<'a> IdentifierSource<'a> {
    /// These texts: the request as it was sent, and what it was made of.
    pub fn of(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let texts: Vec<&str> = texts.into_iter().collect();
        let identifiers = texts.iter().flat_map(|text| identifiers(text)).collect();
        Self { texts, identifiers }
    }

    /// Whether an identifier stands in it, byte for byte and whole. An amount may have its currency elsewhere.
    pub fn contains_identifier(&self, identifier: &str) -> bool {
        self.identifiers.contains(identifier) || self.stands(identifier) || {
            amount::length(identifier) == Some(identifier.len()) && self.stands(amount::number_in(identifier))
        }
    }

    fn stands(&self, identifier: &str) -> bool {
        self.texts.iter().any(|text| {
            text.match_indices(identifier).any(|(at, found)| {
                let (before, after) = (&text[..at], &text[at + found.len()..]);
                !goes_on_before(before) && !goes_on_after(after)
            })
        })
    }
}

/// Whether what stands there belongs to the identifier that follows: then that is only the end of a longer one.
fn goes_on_before(before: &str) -> bool {
    let mut back = before.chars().rev();
    match back.next() {
        // In JSON a line ends in an escape.
        Some('n' | 't' | 'r') if back.clone().next() == Some('\\') => false,
        Some(one) if joins(one) => back.next().is_some_and(char::is_alphanumeric),
        Some(one) => one.is_alphanumeric(),
        None => false,
    }
}

fn goes_on_after(after: &str) -> bool {
    let mut next = after.chars();
    match next.next() {
        Some(one) if joins(one) => next.next().is_some_and(char::is_alphanumeric),
        Some(one) => one.is_alphanumeric(),
        None => false,
    }
}

fn joins(character: char) -> bool {
    matches!(character, '-' | '_' | '.' | '/' | '@')
}
