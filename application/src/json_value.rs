//! JSON text and the domain's [`JsonValue`].
//!
//! Strict on the way in: one value, no duplicate names, a bounded depth, and every number keeps the text it was
//! written with. Nothing here goes through a machine number: `serde_json` keeps the digits too
//! (`arbitrary_precision`), so a schema is checked on what is shown and run.

use std::fmt;

use entracte_domain::value::JsonValue;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Lists and objects within one another that [`parse`] takes.
pub const DEPTH_MAX: usize = 64;

/// What is wrong with a JSON text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{says} (line {line}, column {column}{})", fault_at(.path))]
pub struct JsonFault {
    /// What is wrong, as a sentence without its place.
    pub says: String,
    /// JSON pointer of the innermost value it is in; empty for the whole text.
    pub path: String,
    /// Line of the fault, from 1.
    pub line: usize,
    /// Its column in bytes, from 1.
    pub column: usize,
}

fn fault_at(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(", at {path}") }
}

/// Reads one JSON value. Numbers that no double comes near (`1e999`) are refused: whatever runs them would read
/// infinity.
///
/// # Errors
/// When it is no JSON, is nested too deeply, names a key twice, or has a number that no double comes near; the fault says where.
pub fn parse(text: &str) -> Result<JsonValue, JsonFault> {
    JsonTreeParser { text, depth_max: DEPTH_MAX, path: Vec::new() }.parse_document()
}

/// Reads what [`parse`] once let through and Entracte built upon: deeper than from outside.
pub(crate) fn parse_stored(text: &str) -> Result<JsonValue, JsonFault> {
    JsonTreeParser { text, depth_max: STORED_DEPTH_MAX, path: Vec::new() }.parse_document()
}

/// Lists and objects within one another that are stored: a few more than come in, for what is wrapped here.
pub(crate) const STORED_DEPTH_MAX: usize = 2 * DEPTH_MAX;

/// How many lists and objects stand within one another.
pub(crate) fn depth(value: &JsonValue) -> usize {
    match value {
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) => 0,
        JsonValue::List(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        JsonValue::Object(members) => 1 + members.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
    }
}

/// The same value for libraries, digit for digit. A number that is beyond any double becomes a text, which no schema
/// takes for a number.
pub fn to_serde(value: &JsonValue) -> serde_json::Value {
    use serde_json::Value as Json;
    match value {
        JsonValue::Null => Json::Null,
        JsonValue::Bool(truth) => Json::Bool(*truth),
        JsonValue::Number(text) => number(text).map_or_else(|_| Json::String(text.clone()), Json::Number),
        JsonValue::Text(text) => Json::String(text.clone()),
        JsonValue::List(items) => Json::Array(items.iter().map(to_serde).collect()),
        JsonValue::Object(members) => {
            Json::Object(members.iter().map(|(name, value)| (name.clone(), to_serde(value))).collect())
        }
    }
}

/// The number that a text writes, with all its digits.
fn number(text: &str) -> Result<serde_json::Number, serde_json::Error> {
    if text.parse::<f64>().is_ok_and(|near| !near.is_finite()) {
        return Err(serde::de::Error::custom("number out of range"));
    }
    serde_json::from_str(text)
}

/// The same value with numbers as text.
pub fn from_serde(json: &serde_json::Value) -> JsonValue {
    use serde_json::Value as Json;
    match json {
        Json::Null => JsonValue::Null,
        Json::Bool(truth) => JsonValue::Bool(*truth),
        Json::Number(number) => JsonValue::Number(number.to_string()),
        Json::String(text) => JsonValue::Text(text.clone()),
        Json::Array(items) => JsonValue::List(items.iter().map(from_serde).collect()),
        Json::Object(members) => {
            JsonValue::Object(members.iter().map(|(name, json)| (name.clone(), from_serde(json))).collect())
        }
    }
}

/// Walks a text level by level. Each level is cut into raw pieces by `serde_json`, whose scan of a piece does
/// not recurse, so only this walk's own depth matters.
struct JsonTreeParser<'a> {
    text: &'a str,
    depth_max: usize,
    path: Vec<JsonPathStep>,
}

enum JsonPathStep {
    Name(String),
    Index(usize),
}

impl<'a> JsonTreeParser<'a> {
    fn parse_document(mut self) -> Result<JsonValue, JsonFault> {
        let raw: &RawValue =
            serde_json::from_str(self.text).map_err(|error| self.syntax(self.text, &error))?;
        self.value(raw.get())
    }

    fn value(&mut self, piece: &'a str) -> Result<JsonValue, JsonFault> {
        match piece.as_bytes().first() {
            Some(b'{') => self.object(piece),
            Some(b'[') => self.list(piece),
            Some(b'"') => {
                serde_json::from_str(piece).map(JsonValue::Text).map_err(|e| self.syntax(piece, &e))
            }
            Some(b't') => Ok(JsonValue::Bool(true)),
            Some(b'f') => Ok(JsonValue::Bool(false)),
            Some(b'n') => Ok(JsonValue::Null),
            Some(_) | None => self.number(piece),
        }
    }

    fn number(&self, piece: &str) -> Result<JsonValue, JsonFault> {
        match number(piece) {
            Ok(_) => Ok(JsonValue::Number(piece.to_owned())),
            Err(error) => Err(self.syntax(piece, &error)),
        }
    }

    fn list(&mut self, piece: &'a str) -> Result<JsonValue, JsonFault> {
        self.check_depth(piece)?;
        let items: Vec<&'a RawValue> = serde_json::from_str(piece).map_err(|e| self.syntax(piece, &e))?;
        let mut values = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            self.path.push(JsonPathStep::Index(index));
            values.push(self.value(item.get())?);
            self.path.pop();
        }
        Ok(JsonValue::List(values))
    }

    fn object(&mut self, piece: &'a str) -> Result<JsonValue, JsonFault> {
        self.check_depth(piece)?;
        let JsonObjectMembers(members) = serde_json::from_str(piece).map_err(|e| self.syntax(piece, &e))?;
        let mut names = std::collections::HashSet::with_capacity(members.len());
        let mut values = Vec::with_capacity(members.len());
        for (name, member) in members {
            self.path.push(JsonPathStep::Name(name.clone()));
            if !names.insert(name.clone()) {
                return Err(self.fault(member.get(), 0, format!("the name “{name}” stands twice")));
            }
            values.push((name, self.value(member.get())?));
            self.path.pop();
        }
        Ok(JsonValue::Object(values))
    }

    fn check_depth(&self, piece: &str) -> Result<(), JsonFault> {
        if self.path.len() < self.depth_max {
            return Ok(());
        }
        let says = format!("more than {} lists and objects stand within one another", self.depth_max);
        Err(self.fault(piece, 0, says))
    }

    fn syntax(&self, piece: &str, error: &serde_json::Error) -> JsonFault {
        let full = error.to_string();
        let says = full.split(" at line ").next().unwrap_or(&full).to_owned();
        let lines_before: usize =
            piece.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        self.fault(piece, lines_before + error.column().saturating_sub(1), says)
    }

    /// A fault `inside` bytes into a piece of the text.
    fn fault(&self, piece: &str, inside: usize, says: String) -> JsonFault {
        // A piece is a part of the text, so their addresses say where it begins.
        let begin = (piece.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let end = begin.saturating_add(inside).min(self.text.len());
        let before = &self.text.as_bytes()[..end];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|byte| **byte != b'\n').count();
        JsonFault { says, path: pointer(&self.path), line, column }
    }
}

fn pointer(path: &[JsonPathStep]) -> String {
    path.iter()
        .map(|step| match step {
            JsonPathStep::Name(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
            JsonPathStep::Index(index) => format!("/{index}"),
        })
        .collect()
}

/// The members of an object in their order, duplicates kept.
struct JsonObjectMembers<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for JsonObjectMembers<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct JsonObjectVisitor;

        impl<'de> Visitor<'de> for JsonObjectVisitor {
            type Value = JsonObjectMembers<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(JsonObjectMembers(members))
            }
        }

        deserializer.deserialize_map(JsonObjectVisitor)
    }
}

#[cfg(test)]
mod tests;
