//! Conversion between JSON text and the domain's [`JsonValue`].
//!
//! Parsing is strict: one value, no duplicate names, a bounded depth, and every number keeps its text. Numbers are
//! never converted to machine numbers, so a schema is checked on the same digits that are shown and run.
//! [`ExactJson`] carries values through serde's shapes, [`parse_foreign`] reads what other programs declare.
//!
//! [`serde_json::Value`] rounds numbers, so it holds only what this program or its configuration says, such as settings
//! and the shapes of the API's document: [`from_serde`] takes such a value over, and [`to_serde`] rounds one for a library.

mod decimal;
mod equality;
mod exact;
mod tokens;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use entracte_domain::value::JsonValue;
use serde_json::value::RawValue;

pub(crate) use decimal::ExactDecimal;
pub use decimal::compare_numbers;
pub(crate) use equality::ComparableValue;
pub use equality::are_equal;
pub(crate) use exact::ExactJsonRef;
pub use exact::{ExactJson, to_indented_text, to_text};
pub use tokens::{JsonToken, JsonTokens};

/// The maximum nesting depth of lists and objects that [`parse`] accepts.
pub const DEPTH_MAX: usize = 64;

/// A fault in a JSON text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{says} (line {line}, column {column}{})", fault_at(.path))]
pub struct JsonFault {
    /// The fault as a sentence, without its position.
    pub says: String,
    /// JSON pointer of the innermost value that contains it; empty for the whole text.
    pub path: String,
    /// The line of the fault, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
}

fn fault_at(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(", at {path}") }
}

/// Parses one JSON value. Numbers outside of the range of a double (`1e999`) are refused: a consumer would read
/// infinity.
///
/// # Errors
/// When it is not JSON, is nested too deeply, repeats a key, or contains a number outside of the range of a double;
/// the fault has the position.
pub fn parse(text: &str) -> Result<JsonValue, JsonFault> {
    JsonTreeParser::new(text, DEPTH_MAX, Leniency::Strict).parse_document()
}

/// Parses a stored value that contains a value accepted by [`parse`]: allows a greater depth.
pub(crate) fn parse_stored(text: &str) -> Result<JsonValue, JsonFault> {
    JsonTreeParser::new(text, STORED_DEPTH_MAX, Leniency::Strict).parse_document()
}

/// Parses a text of another program as JSON libraries do, but with all digits: members are in the order of their
/// names, of the same name the last counts, exponents are written as `e+2`, and numbers may be of any size. Digests of
/// such texts (accepted MCP tools, catalog versions) are those of the parsed value.
///
/// # Errors
/// When it is not JSON, or nested too deeply; the fault has the position.
pub fn parse_foreign(text: &str) -> Result<JsonValue, JsonFault> {
    JsonTreeParser::new(text, FOREIGN_DEPTH_MAX, Leniency::Foreign).parse_document()
}

/// Parses a text of another program as [`parse_foreign`] does, where nothing may be lost: a repeated name is a fault.
///
/// # Errors
/// As [`parse_foreign`], and when a name stands twice in one object.
pub fn parse_document(text: &str) -> Result<JsonValue, JsonFault> {
    JsonTreeParser::new(text, FOREIGN_DEPTH_MAX, Leniency::Document).parse_document()
}

/// The maximum nesting depth of lists and objects that [`parse_foreign`] accepts: that of `serde_json`.
const FOREIGN_DEPTH_MAX: usize = 127;

/// The maximum nesting depth of stored values: deeper than [`DEPTH_MAX`], because Entracte wraps accepted values.
pub(crate) const STORED_DEPTH_MAX: usize = 2 * DEPTH_MAX;

/// The nesting depth of lists and objects in a value.
pub(crate) fn depth(value: &JsonValue) -> usize {
    match value {
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) => 0,
        JsonValue::List(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        JsonValue::Object(members) => 1 + members.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
    }
}

/// Converts the value for libraries, with machine numbers: digits that they do not hold are lost. A number outside of the
/// range of a double becomes a text, which no schema accepts as a number.
pub fn to_serde(value: &JsonValue) -> serde_json::Value {
    use serde_json::Value as Json;
    match value {
        JsonValue::Null => Json::Null,
        JsonValue::Bool(truth) => Json::Bool(*truth),
        JsonValue::Number(text) => {
            let number = is_in_range(text).then(|| serde_json::from_str(text).ok()).flatten();
            number.map_or_else(|| Json::String(text.clone()), Json::Number)
        }
        JsonValue::Text(text) => Json::String(text.clone()),
        JsonValue::List(items) => Json::Array(items.iter().map(to_serde).collect()),
        JsonValue::Object(members) => {
            Json::Object(members.iter().map(|(name, value)| (name.clone(), to_serde(value))).collect())
        }
    }
}

/// The value with a text in place of each number outside of the range of a double, which no schema accepts as a number.
pub(crate) fn replace_numbers_out_of_range(value: JsonValue) -> JsonValue {
    match value {
        JsonValue::Number(text) if !is_in_range(&text) => JsonValue::Text(text),
        JsonValue::List(items) => {
            JsonValue::List(items.into_iter().map(replace_numbers_out_of_range).collect())
        }
        JsonValue::Object(members) => {
            let members = members.into_iter();
            let members = members.map(|(name, value)| (name, replace_numbers_out_of_range(value)));
            JsonValue::Object(members.collect())
        }
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) => value,
    }
}

/// Whether every number of the value is within the range of a double.
pub fn has_numbers_in_range(value: &JsonValue) -> bool {
    match value {
        JsonValue::Number(text) => is_in_range(text),
        JsonValue::List(items) => items.iter().all(has_numbers_in_range),
        JsonValue::Object(members) => members.iter().all(|(_, member)| has_numbers_in_range(member)),
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Text(_) => true,
    }
}

/// Whether a JSON number is within the range of a double.
fn is_in_range(number: &str) -> bool {
    number.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Converts a library's value, with its machine numbers as text.
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

/// A value as [`parse_foreign`] reads its text: members in the order of their names, exponents as `e+2`.
pub fn to_foreign(value: &JsonValue) -> JsonValue {
    match value {
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Text(_) => value.clone(),
        JsonValue::Number(text) => JsonValue::Number(respelled(text)),
        JsonValue::List(items) => JsonValue::List(items.iter().map(to_foreign).collect()),
        JsonValue::Object(members) => {
            let members: BTreeMap<&str, JsonValue> =
                members.iter().map(|(name, value)| (name.as_str(), to_foreign(value))).collect();
            let members = members.into_iter();
            JsonValue::Object(members.map(|(name, value)| (name.to_owned(), value)).collect())
        }
    }
}

/// A number as JSON libraries print it: the exponent in lower case and with a sign, all digits as they are.
fn respelled(number: &str) -> String {
    let Some((digits, exponent)) = number.split_once(['e', 'E']) else { return number.to_owned() };
    let sign = if exponent.starts_with(['+', '-']) { "" } else { "+" };
    format!("{digits}e{sign}{exponent}")
}

/// Parses a text in two passes, whatever its depth: `serde_json` checks its grammar without recursion, then its tokens
/// become values. Only this parser's own depth matters.
struct JsonTreeParser<'a> {
    text: &'a str,
    tokens: JsonTokens<'a>,
    depth_max: usize,
    leniency: Leniency,
    path: Vec<JsonPathStep>,
}

/// How a text is read that a model or a person would have to correct.
#[derive(Clone, Copy)]
enum Leniency {
    /// Duplicate names and numbers outside of the range of a double are refused; all else is kept as it is written.
    Strict,
    /// They are accepted, and members and exponents are written in one way.
    Foreign,
    /// As foreign ones, but duplicate names are refused.
    Document,
}

enum JsonPathStep {
    Name(String),
    Index(usize),
}

impl<'a> JsonTreeParser<'a> {
    fn new(text: &'a str, depth_max: usize, leniency: Leniency) -> Self {
        Self { text, tokens: JsonTokens::new(text), depth_max, leniency, path: Vec::new() }
    }

    fn parse_document(mut self) -> Result<JsonValue, JsonFault> {
        serde_json::from_str::<&RawValue>(self.text).map_err(|error| self.syntax(self.text, &error))?;
        let first = self.next_token();
        self.value(first)
    }

    /// The next token; empty behind the last one.
    fn next_token(&mut self) -> &'a str {
        self.tokens.next().map_or("", |token| token.text)
    }

    /// The value that begins with this token.
    fn value(&mut self, token: &'a str) -> Result<JsonValue, JsonFault> {
        match token.as_bytes().first() {
            Some(b'{') => self.object(token),
            Some(b'[') => self.list(token),
            Some(b'"') => self.string(token).map(JsonValue::Text),
            Some(b't') => Ok(JsonValue::Bool(true)),
            Some(b'f') => Ok(JsonValue::Bool(false)),
            Some(b'n') => Ok(JsonValue::Null),
            Some(_) | None => self.number(token),
        }
    }

    fn string(&self, token: &str) -> Result<String, JsonFault> {
        serde_json::from_str(token).map_err(|error| self.syntax(token, &error))
    }

    /// A token that begins like a number is one: `serde_json` has checked the grammar.
    fn number(&self, token: &str) -> Result<JsonValue, JsonFault> {
        match self.leniency {
            Leniency::Foreign | Leniency::Document => Ok(JsonValue::Number(respelled(token))),
            Leniency::Strict if is_in_range(token) => Ok(JsonValue::Number(token.to_owned())),
            Leniency::Strict => Err(self.fault(token, 0, "number out of range".to_owned())),
        }
    }

    fn list(&mut self, begin: &str) -> Result<JsonValue, JsonFault> {
        self.check_depth(begin)?;
        let mut values = Vec::new();
        loop {
            match self.next_token() {
                "]" | "" => return Ok(JsonValue::List(values)),
                "," => {}
                item => {
                    self.path.push(JsonPathStep::Index(values.len()));
                    values.push(self.value(item)?);
                    self.path.pop();
                }
            }
        }
    }

    fn object(&mut self, begin: &str) -> Result<JsonValue, JsonFault> {
        self.check_depth(begin)?;
        let members = self.members()?;
        Ok(JsonValue::Object(match self.leniency {
            Leniency::Strict => members,
            Leniency::Foreign | Leniency::Document => sorted_members(members),
        }))
    }

    /// The members of an object behind its brace, in their order. Refuses a name that stands twice, unless it is foreign.
    fn members(&mut self) -> Result<Vec<(String, JsonValue)>, JsonFault> {
        let (mut members, mut names) = (Vec::new(), HashSet::new());
        loop {
            let written = match self.next_token() {
                "}" | "" => return Ok(members),
                "," => continue,
                written => written,
            };
            let name = self.string(written)?;
            let _colon = self.next_token();
            let member = self.next_token();
            self.path.push(JsonPathStep::Name(name.clone()));
            if !self.is_lenient_with_names() && !names.insert(unescaped(written, &name)) {
                return Err(self.fault(member, 0, format!("the name “{name}” stands twice")));
            }
            members.push((name, self.value(member)?));
            self.path.pop();
        }
    }

    fn is_lenient_with_names(&self) -> bool {
        match self.leniency {
            Leniency::Strict | Leniency::Document => false,
            Leniency::Foreign => true,
        }
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

    /// A fault at byte `inside` of a piece of the text.
    fn fault(&self, piece: &str, inside: usize, says: String) -> JsonFault {
        // A piece is a slice of the text, so the addresses give its offset.
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

/// The members in the order of their names; of the same name the last counts.
fn sorted_members(mut members: Vec<(String, JsonValue)>) -> Vec<(String, JsonValue)> {
    // The sort keeps the order of equal names. A map would take twice the memory.
    members.sort_by(|(one, _), (other, _)| one.cmp(other));
    members.dedup_by(|later, earlier| {
        let is_same = later.0 == earlier.0;
        if is_same {
            std::mem::swap(later, earlier);
        }
        is_same
    });
    members
}

/// A name, of the text where it is written there without escapes.
fn unescaped<'a>(written: &'a str, name: &str) -> Cow<'a, str> {
    let inner = written.trim_matches('"');
    if inner == name { Cow::Borrowed(inner) } else { Cow::Owned(name.to_owned()) }
}

#[cfg(test)]
mod tests;
