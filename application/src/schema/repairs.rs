//! Repairs what servers of tools write and no JSON Schema means, so that a tool is not lost for it.

use serde_json::{Map, Value, json};

use super::exact_keywords::exact_text_name;
use super::positions::change_each_below;
use super::references::is_oldest;
use super::shortened;
use crate::texts::{LocalizedTexts, say};

/// What is not checked of a tool's schema, or not as it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaRemark {
    /// A regular expression cannot be matched in linear time, is too large, or is invalid. Its values are not checked
    /// here: the tool's server checks them.
    UncheckedPattern {
        /// The path of the first argument with the expression; `None` if it applies to all arguments.
        argument: Option<String>,
        /// The expression.
        pattern: String,
    },
    /// `$schema` names no known draft of JSON Schema; the schema was read as one of 2020-12.
    UnknownDialect(String),
}

impl SchemaRemark {
    /// The path of the argument that the remark is about; `None` if it is about all arguments.
    pub fn argument(&self) -> Option<&str> {
        match self {
            Self::UncheckedPattern { argument, .. } => argument.as_deref(),
            Self::UnknownDialect(_) => None,
        }
    }

    /// The remark in one sentence, without the argument.
    pub fn describe(&self, texts: &LocalizedTexts) -> String {
        match self {
            Self::UncheckedPattern { pattern, .. } => {
                say!(texts, "bounds-pattern-unchecked", pattern = shortened(pattern))
            }
            Self::UnknownDialect(dialect) => {
                say!(texts, "bounds-dialect-unknown", dialect = shortened(dialect))
            }
        }
    }
}

/// The drafts that can be checked, as part of `$schema` and as written in full.
const DRAFTS: [(&str, &str); 5] = [
    ("json-schema.org/draft-04/schema", "http://json-schema.org/draft-04/schema#"),
    ("json-schema.org/draft-06/schema", "http://json-schema.org/draft-06/schema#"),
    ("json-schema.org/draft-07/schema", "http://json-schema.org/draft-07/schema#"),
    ("json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2019-09/schema"),
    ("json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2020-12/schema"),
];

/// Takes the dialect of a tool's schema for the nearest draft.
pub(super) fn repair_dialect(schema: &mut Map<String, Value>, remarks: &mut Vec<SchemaRemark>) {
    let Some(Value::String(dialect)) = schema.get("$schema") else { return };
    let named = dialect.split_once("://").map_or(dialect.as_str(), |(_, rest)| rest).trim_end_matches('#');
    match DRAFTS.into_iter().find(|(draft, _)| *draft == named) {
        Some((_, full)) => {
            schema.insert("$schema".to_owned(), Value::String(full.to_owned()));
        }
        None => {
            remarks.push(SchemaRemark::UnknownDialect(dialect.clone()));
            schema.remove("$schema");
        }
    }
}

/// Repairs the keywords of a tool's schema. Its depth was bounded by the scan.
pub(super) fn repair_keywords(schema: &mut Map<String, Value>) {
    let is_oldest = schema.get("$schema").and_then(Value::as_str).is_some_and(is_oldest);
    repair_part(schema, is_oldest, true);
}

fn repair_part(schema: &mut Map<String, Value>, is_oldest: bool, is_root: bool) {
    let is_any =
        |kind: &Value| kind == "any" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("any")));
    if schema.get("type").is_some_and(is_any) {
        schema.remove("type");
    }
    // The dialect of a part cannot differ from that of the whole.
    if !is_root && schema.get("$schema").is_some_and(Value::is_string) {
        schema.remove("$schema");
    }
    allow_null(schema);
    if !is_oldest {
        repair_limit(schema, "exclusiveMinimum", "minimum");
        repair_limit(schema, "exclusiveMaximum", "maximum");
    }
    lift_required(schema);
    change_each_below(schema, |_, inner| repair_part(inner, is_oldest, false));
}

/// OpenAPI 3.0: `nullable` beside a type allows null.
fn allow_null(schema: &mut Map<String, Value>) {
    if schema.get("nullable") != Some(&Value::Bool(true)) {
        return;
    }
    match schema.get_mut("type") {
        Some(Value::Array(kinds)) if !kinds.contains(&json!("null")) => kinds.push(json!("null")),
        Some(kind @ Value::String(_)) if *kind != "null" => *kind = json!([kind.take(), "null"]),
        _ => return,
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
        // The text of a list with numbers, which is not empty.
        if let Some(Value::String(list)) = schema.get_mut(&exact_text_name("enum")) {
            list.pop();
            list.push_str(",null]");
        }
    }
}

/// Draft 4: a limit is exclusive by a flag beside it.
fn repair_limit(schema: &mut Map<String, Value>, exclusive: &str, limit: &str) {
    let Some(Value::Bool(is_exclusive)) = schema.get(exclusive) else { return };
    let is_exclusive = *is_exclusive;
    schema.remove(exclusive);
    if is_exclusive && let Some(bound) = schema.remove(limit) {
        schema.insert(exclusive.to_owned(), bound);
        if let Some(text) = schema.remove(&exact_text_name(limit)) {
            schema.insert(exact_text_name(exclusive), text);
        }
    }
}

/// Draft 3: an argument says itself whether it is required.
fn lift_required(schema: &mut Map<String, Value>) {
    if schema.get("required").is_some_and(Value::is_boolean) {
        schema.remove("required");
    }
    let Some(Value::Object(properties)) = schema.get("properties") else { return };
    let mut lifted = Vec::new();
    for (name, property) in properties {
        if property.get("required") == Some(&Value::Bool(true)) {
            lifted.push(Value::String(name.clone()));
        }
    }
    if lifted.is_empty() {
        return;
    }
    if let Value::Array(required) = schema.entry("required").or_insert_with(|| json!([])) {
        lifted.retain(|name| !required.contains(name));
        required.extend(lifted);
    }
}

/// Removes the regular expressions that `is_supported` refuses, and adds them to `removed`, each once. Members whose names one of them would have matched are
/// not refused either.
pub(super) fn remove_patterns(
    schema: &mut Map<String, Value>,
    is_supported: &mut impl FnMut(&str) -> bool,
    removed: &mut Vec<String>,
) {
    let mut is_removed = |pattern: &str| {
        let is_refused = !is_supported(pattern);
        if is_refused && !removed.iter().any(|known| known == pattern) {
            removed.push(pattern.to_owned());
        }
        is_refused
    };
    if let Some(Value::String(pattern)) = schema.get("pattern")
        && is_removed(pattern)
    {
        schema.remove("pattern");
    }
    if let Some(Value::Object(named)) = schema.get_mut("patternProperties") {
        let before = named.len();
        named.retain(|pattern, _| !is_removed(pattern));
        if named.len() < before {
            schema.remove("additionalProperties");
            schema.remove("unevaluatedProperties");
        }
    }
    change_each_below(schema, |_, inner| remove_patterns(inner, is_supported, removed));
}
