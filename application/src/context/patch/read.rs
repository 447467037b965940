//! Reads a patch strictly, and keeps the operations that are sound.

use std::collections::HashSet;

use entracte_domain::session::{SummaryItem, SummaryItemKind};
use entracte_domain::value::JsonValue;
use entracte_domain::words::KeywordEnum;

use super::{Added, Changed, Dropped, NOTE_CHARS_MAX, Patch, PatchFault, Why, apply};
use crate::context::identifiers::{Source, identifiers};
use crate::json;
use crate::protocol::envelope;

/// An answer, read and checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The operations that are sound.
    pub patch: Patch,
    /// What is wrong with the others, and with the whole.
    pub faults: Vec<PatchFault>,
}

/// Reads what a model answered when it was asked for a patch of these notes. The object may stand in a fence or beside
/// prose. An answer without any object is one fact.
///
/// `source` is what the model could read: an identifier of a new text must stand there. `most_chars` is how long all
/// notes together may be.
pub fn read_patch(reply: &str, items: &[SummaryItem], source: &Source<'_>, most_chars: usize) -> Checked {
    let mut reading = Reading {
        items,
        source,
        named: HashSet::new(),
        note_most: NOTE_CHARS_MAX,
        checked: Checked::default(),
    };
    let object = envelope::object_in(reply).and_then(|object| {
        object.map(|object| json::parse(object).map_err(|fault| fault.to_string())).transpose()
    });
    match object {
        Err(says) => reading.fault(PatchFault::NoJson { says }),
        Ok(Some(object)) => reading.object(&object),
        Ok(None) if reply.trim().is_empty() => reading.fault(PatchFault::Empty),
        Ok(None) => {
            reading.note_most = most_chars.max(NOTE_CHARS_MAX);
            if let Some(text) = reading.text("", Some(&JsonValue::Text(reply.to_owned()))) {
                reading.checked.patch.add.push(Added { kind: SummaryItemKind::Fact, text, to: None });
            }
        }
    }
    reading.whole(most_chars);
    reading.checked
}

struct Reading<'a> {
    items: &'a [SummaryItem],
    source: &'a Source<'a>,
    named: HashSet<u32>,
    note_most: usize,
    checked: Checked,
}

impl Reading<'_> {
    fn fault(&mut self, fault: PatchFault) {
        self.checked.faults.push(fault);
    }

    fn object(&mut self, object: &JsonValue) {
        self.knows("", object, &["add", "change", "drop"]);
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

    /// The items of a list of the patch, each with its place.
    fn list(&mut self, object: &JsonValue, name: &str) -> Vec<(String, JsonValue)> {
        match object.get(name) {
            None | Some(JsonValue::Null) => Vec::new(),
            Some(JsonValue::List(values)) => {
                let place = |(index, value): (usize, &JsonValue)| (format!("/{name}/{index}"), value.clone());
                values.iter().enumerate().map(place).collect()
            }
            Some(JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) | JsonValue::Object(_)) => {
                self.fault(PatchFault::Shape { at: format!("/{name}"), expected: "[…]" });
                Vec::new()
            }
        }
    }

    /// Whether a value is an object with these fields only.
    fn knows(&mut self, at: &str, value: &JsonValue, fields: &[&str]) -> bool {
        let Some(members) = value.as_object() else {
            self.fault(PatchFault::Shape { at: at.to_owned(), expected: "{…}" });
            return false;
        };
        let unknown = members.iter().filter(|(name, _)| !fields.contains(&name.as_str()));
        let faults: Vec<PatchFault> = unknown
            .map(|(field, _)| PatchFault::UnknownField { at: at.to_owned(), field: short(field) })
            .collect();
        let knows_all = faults.is_empty();
        self.checked.faults.extend(faults);
        knows_all
    }

    fn added(&mut self, at: &str, value: &JsonValue) -> Option<Added> {
        let is_known = self.knows(at, value, &["kind", "text", "to"]);
        let kind = self.word::<SummaryItemKind>(&format!("{at}/kind"), value.get("kind"));
        let text = self.text(&format!("{at}/text"), value.get("text"));
        let to = match value.get("to") {
            None | Some(JsonValue::Null) => Some(None),
            to @ Some(_) => self.text(&format!("{at}/to"), to).map(Some),
        };
        let added = Added { kind: kind?, text: text?, to: to? };
        is_known.then_some(added)
    }

    fn changed(&mut self, at: &str, value: &JsonValue) -> Option<Changed> {
        let is_known = self.knows(at, value, &["key", "text"]);
        let key = self.key(at, value);
        let text = self.text(&format!("{at}/text"), value.get("text"));
        let changed = Changed { key: key?, text: text? };
        is_known.then_some(changed)
    }

    fn dropped(&mut self, at: &str, value: &JsonValue) -> Option<Dropped> {
        let is_known = self.knows(at, value, &["key", "why"]);
        let key = self.key(at, value);
        let why = self.word::<Why>(&format!("{at}/why"), value.get("why"));
        let dropped = Dropped { key: key?, why: why? };
        is_known.then_some(dropped)
    }

    /// The key of a note that is there and that nothing before has named.
    fn key(&mut self, at: &str, value: &JsonValue) -> Option<u32> {
        let at = format!("{at}/key");
        let Some(key) = value.get("key").and_then(JsonValue::as_i64).and_then(|key| u32::try_from(key).ok())
        else {
            self.fault(PatchFault::Shape { at, expected: "12" });
            return None;
        };
        if self.items.iter().all(|item| item.key != key) {
            self.fault(PatchFault::UnknownKey { at, key });
            return None;
        }
        if !self.named.insert(key) {
            self.fault(PatchFault::Twice { at, key });
            return None;
        }
        Some(key)
    }

    fn word<T: KeywordEnum>(&mut self, at: &str, value: Option<&JsonValue>) -> Option<T> {
        let Some(word) = value.and_then(JsonValue::as_text) else {
            self.fault(PatchFault::Shape { at: at.to_owned(), expected: "\"…\"" });
            return None;
        };
        let known = T::from_word(word.trim());
        if known.is_none() {
            let (at, word) = (at.to_owned(), short(word));
            self.fault(PatchFault::UnknownWord { at, word, words: T::WORDS });
        }
        known
    }

    /// A text that says something, is short enough, and copies identifiers as they are.
    fn text(&mut self, at: &str, value: Option<&JsonValue>) -> Option<String> {
        let Some(text) = value.and_then(JsonValue::as_text).map(str::trim) else {
            self.fault(PatchFault::Shape { at: at.to_owned(), expected: "\"…\"" });
            return None;
        };
        let before = self.checked.faults.len();
        if text.is_empty() {
            self.fault(PatchFault::NoText { at: at.to_owned() });
        }
        if text.chars().count() > self.note_most {
            self.fault(PatchFault::Long { at: at.to_owned(), most: self.note_most });
        }
        let altered = identifiers(text).into_iter().filter(|identifier| !self.source.has(identifier));
        let altered: Vec<PatchFault> = altered
            .map(|identifier| PatchFault::Altered { at: at.to_owned(), identifier: short(&identifier) })
            .collect();
        self.checked.faults.extend(altered);
        (self.checked.faults.len() == before).then(|| text.to_owned())
    }

    /// What only all operations together break. Where they drop too many facts, no fact goes; what is too long leaves
    /// the prompt later, oldest first.
    fn whole(&mut self, most: usize) {
        let is_fact =
            |key: u32| self.items.iter().any(|item| item.key == key && item.kind == SummaryItemKind::Fact);
        let facts = self.items.iter().filter(|item| item.kind == SummaryItemKind::Fact).count();
        let dropped = self.checked.patch.drop.iter().filter(|dropped| is_fact(dropped.key)).count();
        if dropped.saturating_mul(3) > facts {
            self.checked.patch.drop.retain(|dropped| !is_fact(dropped.key));
            self.checked.faults.push(PatchFault::Facts { dropped, facts });
        }
        let size = apply(self.items, &self.checked.patch).iter().map(|item| item.text.chars().count()).sum();
        if size > most {
            self.fault(PatchFault::Size { size, most });
        }
    }
}

/// What a fault quotes: short, whatever its size.
fn short(text: &str) -> String {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
