//! Parses a patch strictly, and keeps its valid operations.

use std::collections::HashSet;

use entracte_domain::keyword_enum::KeywordEnum;
use entracte_domain::session::{SummaryItem, SummaryItemKind};
use entracte_domain::value::JsonValue;

use super::{
    NOTE_CHARS_MAX, SummaryItemAddition, SummaryItemEdit, SummaryItemRemoval, SummaryItemRemovalReason,
    SummaryPatch, SummaryPatchFault, apply,
};
use crate::context::identifiers::{IdentifierSource, identifiers};
use crate::json_value;
use crate::protocol::envelope;
use crate::texts::saying;

/// A parsed and checked answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryPatchCheck {
    /// The valid operations.
    pub patch: SummaryPatch,
    /// The faults of the other operations, and of the whole.
    pub faults: Vec<SummaryPatchFault>,
}

/// Parses a model's patch of these items. The object may be in a fence or beside prose. An answer without any
/// object is one fact.
///
/// `source` = the texts that the model could read: identifiers of new items must be in it. `most_chars` = the
/// maximum characters of all items together.
pub fn read_patch(
    reply: &str,
    items: &[SummaryItem],
    source: &IdentifierSource<'_>,
    most_chars: usize,
) -> SummaryPatchCheck {
    let mut reading = SummaryPatchParser {
        items,
        source,
        named: HashSet::new(),
        note_most: NOTE_CHARS_MAX,
        checked: SummaryPatchCheck::default(),
    };
    let object = envelope::object_in(reply).and_then(|object| {
        object
            .map(|object| {
                json_value::parse(object).map_err(|fault| saying!("fault-words", words = fault.to_string()))
            })
            .transpose()
    });
    match object {
        Err(says) => reading.fault(SummaryPatchFault::NoJson { says }),
        Ok(Some(object)) => reading.object(&object),
        Ok(None) if reply.trim().is_empty() => reading.fault(SummaryPatchFault::Empty),
        Ok(None) => {
            reading.note_most = most_chars.max(NOTE_CHARS_MAX);
            if let Some(text) = reading.text("", Some(&JsonValue::Text(reply.to_owned()))) {
                reading.checked.patch.add.push(SummaryItemAddition {
                    kind: SummaryItemKind::Fact,
                    text,
                    to: None,
                });
            }
        }
    }
    reading.whole(most_chars);
    reading.checked
}

struct SummaryPatchParser<'a> {
    items: &'a [SummaryItem],
    source: &'a IdentifierSource<'a>,
    named: HashSet<u32>,
    note_most: usize,
    checked: SummaryPatchCheck,
}

impl SummaryPatchParser<'_> {
    fn fault(&mut self, fault: SummaryPatchFault) {
        self.checked.faults.push(fault);
    }

    fn object(&mut self, object: &JsonValue) {
        self.check_fields("", object, &["add", "change", "drop"]);
        for (at, value) in self.list(object, "add") {
            if let Some(added) = self.added(&at, &value) {
                self.checked.patch.add.push(added);
            }
        }
        for (at, value) in self.list(object, "change") {
            if let Some(changed) = self.changed(&at, &value) {
                self.checked.patch.change.push(changed);
            }
        }
        for (at, value) in self.list(object, "drop") {
            if let Some(dropped) = self.dropped(&at, &value) {
                self.checked.patch.drop.push(dropped);
            }
        }
    }

    /// The elements of a list of the patch, each with its JSON pointer.
    fn list(&mut self, object: &JsonValue, name: &str) -> Vec<(String, JsonValue)> {
        match object.get(name) {
            None | Some(JsonValue::Null) => Vec::new(),
            Some(JsonValue::List(values)) => {
                let place = |(index, value): (usize, &JsonValue)| (format!("/{name}/{index}"), value.clone());
                values.iter().enumerate().map(place).collect()
            }
            Some(JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) | JsonValue::Object(_)) => {
                self.fault(SummaryPatchFault::Shape { at: format!("/{name}"), expected: "[…]" });
                Vec::new()
            }
        }
    }

    /// Whether a value is an object with only these fields.
    fn check_fields(&mut self, at: &str, value: &JsonValue, fields: &[&str]) -> bool {
        let Some(members) = value.as_object() else {
            self.fault(SummaryPatchFault::Shape { at: at.to_owned(), expected: "{…}" });
            return false;
        };
        let unknown = members.iter().filter(|(name, _)| !fields.contains(&name.as_str()));
        let faults: Vec<SummaryPatchFault> = unknown
            .map(|(field, _)| SummaryPatchFault::UnknownField { at: at.to_owned(), field: short(field) })
            .collect();
        let knows_all = faults.is_empty();
        self.checked.faults.extend(faults);
        knows_all
    }

    fn added(&mut self, at: &str, value: &JsonValue) -> Option<SummaryItemAddition> {
        let is_known = self.check_fields(at, value, &["kind", "text", "to"]);
        let kind = self.word::<SummaryItemKind>(&format!("{at}/kind"), value.get("kind"));
        let text = self.text(&format!("{at}/text"), value.get("text"));
        let to = match value.get("to") {
            None | Some(JsonValue::Null) => Some(None),
            to @ Some(_) => self.text(&format!("{at}/to"), to).map(Some),
        };
        let added = SummaryItemAddition { kind: kind?, text: text?, to: to? };
        is_known.then_some(added)
    }

    fn changed(&mut self, at: &str, value: &JsonValue) -> Option<SummaryItemEdit> {
        let is_known = self.check_fields(at, value, &["key", "text"]);
        let key = self.key(at, value);
        let text = self.text(&format!("{at}/text"), value.get("text"));
        let changed = SummaryItemEdit { key: key?, text: text? };
        is_known.then_some(changed)
    }

    fn dropped(&mut self, at: &str, value: &JsonValue) -> Option<SummaryItemRemoval> {
        let is_known = self.check_fields(at, value, &["key", "why"]);
        let key = self.key(at, value);
        let why = self.word::<SummaryItemRemovalReason>(&format!("{at}/why"), value.get("why"));
        let dropped = SummaryItemRemoval { key: key?, why: why? };
        is_known.then_some(dropped)
    }

    /// The key of an existing item that no earlier operation has named.
    fn key(&mut self, at: &str, value: &JsonValue) -> Option<u32> {
        let at = format!("{at}/key");
        let Some(key) = value.get("key").and_then(JsonValue::as_i64).and_then(|key| u32::try_from(key).ok())
        else {
            self.fault(SummaryPatchFault::Shape { at, expected: "12" });
            return None;
        };
        if self.items.iter().all(|item| item.key != key) {
            self.fault(SummaryPatchFault::UnknownKey { at, key });
            return None;
        }
        if !self.named.insert(key) {
            self.fault(SummaryPatchFault::Twice { at, key });
            return None;
        }
        Some(key)
    }

    fn word<T: KeywordEnum>(&mut self, at: &str, value: Option<&JsonValue>) -> Option<T> {
        let Some(word) = value.and_then(JsonValue::as_text) else {
            self.fault(SummaryPatchFault::Shape { at: at.to_owned(), expected: "\"…\"" });
            return None;
        };
        let known = T::from_word(word.trim());
        if known.is_none() {
            let (at, word) = (at.to_owned(), short(word));
            self.fault(SummaryPatchFault::UnknownWord { at, word, words: T::WORDS });
        }
        known
    }

    /// A text that is not empty, is short enough, and copies identifiers unchanged.
    fn text(&mut self, at: &str, value: Option<&JsonValue>) -> Option<String> {
        let Some(text) = value.and_then(JsonValue::as_text).map(str::trim) else {
            self.fault(SummaryPatchFault::Shape { at: at.to_owned(), expected: "\"…\"" });
            return None;
        };
        let before = self.checked.faults.len();
        if text.is_empty() {
            self.fault(SummaryPatchFault::NoText { at: at.to_owned() });
        }
        if text.chars().count() > self.note_most {
            self.fault(SummaryPatchFault::Long { at: at.to_owned(), most: self.note_most });
        }
        let altered =
            identifiers(text).into_iter().filter(|identifier| !self.source.contains_identifier(identifier));
        let altered: Vec<SummaryPatchFault> = altered
            .map(|identifier| SummaryPatchFault::Altered {
                at: at.to_owned(),
                identifier: short(&identifier),
            })
            .collect();
        self.checked.faults.extend(altered);
        (self.checked.faults.len() == before).then(|| text.to_owned())
    }

    /// Checks all operations together. If they drop too many facts, no fact is dropped; items beyond the maximum
    /// leave the prompt later, oldest first.
    fn whole(&mut self, most: usize) {
        let is_fact =
            |key: u32| self.items.iter().any(|item| item.key == key && item.kind == SummaryItemKind::Fact);
        let facts = self.items.iter().filter(|item| item.kind == SummaryItemKind::Fact).count();
        let dropped = self.checked.patch.drop.iter().filter(|dropped| is_fact(dropped.key)).count();
        if dropped.saturating_mul(3) > facts {
            self.checked.patch.drop.retain(|dropped| !is_fact(dropped.key));
            self.checked.faults.push(SummaryPatchFault::Facts { dropped, facts });
        }
        let size = apply(self.items, &self.checked.patch).iter().map(|item| item.text.chars().count()).sum();
        if size > most {
            self.fault(SummaryPatchFault::Size { size, most });
        }
    }
}

/// A text shortened for a quote in a fault.
fn short(text: &str) -> String {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
