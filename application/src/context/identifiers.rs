//! Detects the identifiers in a text: words that cannot be paraphrased and become wrong if one character changes.
//!
//! Found in one pass: ids of Entracte, UUIDs, hashes, URLs, email addresses, paths, IBANs, words that mix letters
//! and digits, long numbers, dates, amounts with their currency, and the values of keys that name an identifier.

mod amount;
mod iban;
mod source;
#[cfg(test)]
mod tests;
mod word;

use std::collections::HashSet;

use entracte_domain::value::JsonValue;

use crate::json_value;
pub use source::IdentifierSource;
use word::LeadingWord;

/// Maximum bytes of an identifier. A longer word is content.
const LONGEST: usize = 512;

/// Keys whose values are identifiers, besides those that end in `_id`, `-id` or `Id`.
const KEYS: [&str; 10] = ["id", "uuid", "ref", "number", "iban", "account", "url", "email", "path", "sku"];

/// The distinct identifiers of a text in order of appearance. A JSON text is parsed: its strings are searched
/// without their escapes.
pub fn identifiers(text: &str) -> Vec<String> {
    let mut found = IdentifierCollector::default();
    match is_json(text).then(|| json_value::parse(text)) {
        Some(Ok(value)) => walk(&value, None, &mut found),
        Some(Err(_)) | None => scan(text, &mut found),
    }
    found.list
}

/// The identifiers of a value, as of its JSON.
pub(super) fn identifiers_of(value: &JsonValue) -> Vec<String> {
    let mut found = IdentifierCollector::default();
    walk(value, None, &mut found);
    found.list
}

/// Whether a key names an identifier.
pub(super) fn is_key(name: &str) -> bool {
    let lower = name.to_lowercase();
    KEYS.contains(&lower.as_str())
        || lower.ends_with("_id")
        || lower.ends_with("-id")
        || name.len() > 2 && name.ends_with("Id")
}

#[derive(Default)]
struct IdentifierCollector {
    list: Vec<String>,
    seen: HashSet<String>,
}

impl IdentifierCollector {
    fn add(&mut self, text: &str) {
        if !text.is_empty() && text.len() <= LONGEST && self.seen.insert(text.to_owned()) {
            self.list.push(text.to_owned());
        }
    }
}

fn is_json(text: &str) -> bool {
    matches!(text.trim_start().as_bytes().first(), Some(b'{' | b'['))
}

fn walk(value: &JsonValue, key: Option<&str>, found: &mut IdentifierCollector) {
    let is_named = key.is_some_and(is_key);
    match value {
        JsonValue::Null | JsonValue::Bool(_) => {}
        JsonValue::Number(digits) if is_named => found.add(digits),
        JsonValue::Number(digits) => scan(digits, found),
        JsonValue::Text(text) if is_named && !text.contains('\n') => found.add(text.trim()),
        JsonValue::Text(text) => scan(text, found),
        JsonValue::List(items) => items.iter().for_each(|item| walk(item, key, found)),
        JsonValue::Object(members) => {
            for (name, value) in members {
                scan(name, found);
                walk(value, Some(name), found);
            }
        }
    }
}

fn scan(text: &str, found: &mut IdentifierCollector) {
    let mut at = 0;
    // The preceding word is a key that names the next one.
    let mut is_named = false;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some(separator) = rest.chars().next().filter(|&first| word::separates(first)) {
            at += separator.len_utf8();
            continue;
        }
        if let Some(length) = amount::length(rest).or_else(|| iban::length(rest)) {
            found.add(rest.get(..length).unwrap_or_default());
            (at, is_named) = (at + length, false);
            continue;
        }
        let word = LeadingWord::first(rest);
        let after = rest.get(word.length..).unwrap_or_default();
        at += word.length;
        if word.text.is_empty() {
            continue;
        }
        if is_named || word.is_identifier() {
            found.add(word.text);
            is_named = false;
            continue;
        }
        let parts: Vec<&str> = word.text.split(':').filter(|part| !part.is_empty()).collect();
        for (index, part) in parts.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|before| parts.get(before));
            if before.is_some_and(|key| is_key(key)) || LeadingWord::whole(part).is_identifier() {
                found.add(part);
            }
        }
        is_named =
            parts.last().is_some_and(|last| is_key(last)) && (word.is_key || names_what_follows(after));
    }
}

/// Whether `=` or `:` follows a word, possibly after a quote.
fn names_what_follows(after: &str) -> bool {
    let mut rest = after.chars().filter(|after| !matches!(after, '"' | '\'' | '*' | '`' | ' '));
    matches!(rest.next(), Some('=' | ':'))
}
