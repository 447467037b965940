//! The texts that a model could read, for checking whether it copied an identifier or made one up.

use std::collections::HashSet;

use super::{amount, identifiers};

/// The texts that a model had in its request.
pub struct IdentifierSource<'a> {
    texts: Vec<&'a str>,
    identifiers: HashSet<String>,
}

impl<'a> IdentifierSource<'a> {
    /// The source of these texts: the request as sent, and the data it was made of.
    pub fn of(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let texts: Vec<&str> = texts.into_iter().collect();
        let identifiers = texts.iter().flat_map(|text| identifiers(text)).collect();
        Self { texts, identifiers }
    }

    /// Whether the texts contain an identifier byte for byte and as a whole. An amount may have its currency
    /// elsewhere.
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

/// Whether the text before a match belongs to the same identifier: then the match is only the end of a longer
/// one.
fn goes_on_before(before: &str) -> bool {
    let mut back = before.chars().rev();
    match back.next() {
        // In JSON a line ends with an escape.
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
