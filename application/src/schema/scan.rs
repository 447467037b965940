//! Scans the literal content of a schema once, without following references.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::refusal::SchemaRefusal;
use crate::settings::SchemaBounds;

/// The literal content of a schema.
#[derive(Debug, Default)]
pub(super) struct SchemaScan<'a> {
    /// The parts with a name of their own (`$anchor`).
    pub(super) anchors: HashMap<&'a str, &'a Value>,
    /// Whether parts depend on the evaluation of others (`unevaluatedProperties`, `unevaluatedItems`).
    pub(super) asks_back: bool,
    /// Whether its draft names parts by `id`.
    oldest: bool,
    bytes: usize,
}

/// Counts the content, and refuses a schema that is too large or changes the meaning of references.
///
/// # Errors
/// The first violated bound.
pub(super) fn scan<'a>(schema: &'a Value, bounds: &SchemaBounds) -> Result<SchemaScan<'a>, SchemaRefusal> {
    let mut scan = SchemaScan::default();
    scan.value(schema, 0, bounds)?;
    Ok(scan)
}

impl<'a> SchemaScan<'a> {
    /// Every value takes at least a byte, so the byte limit bounds their number, too.
    fn value(&mut self, value: &'a Value, depth: usize, bounds: &SchemaBounds) -> Result<(), SchemaRefusal> {
        if depth > bounds.schema_depth {
            return Err(SchemaRefusal::Depth { most: bounds.schema_depth });
        }
        self.add(1, bounds)?;
        match value {
            Value::Null | Value::Bool(_) => Ok(()),
            Value::Number(number) => self.add(number.as_str().len(), bounds),
            Value::String(text) => self.add(text.len(), bounds),
            Value::Array(items) => items.iter().try_for_each(|item| self.value(item, depth + 1, bounds)),
            Value::Object(members) => {
                self.keywords(value, members, depth)?;
                members.iter().try_for_each(|(name, member)| {
                    self.add(name.len() + 1, bounds)?;
                    self.value(member, depth + 1, bounds)
                })
            }
        }
    }

    fn add(&mut self, bytes: usize, bounds: &SchemaBounds) -> Result<(), SchemaRefusal> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > bounds.schema_bytes {
            return Err(SchemaRefusal::Bytes { most: bounds.schema_bytes });
        }
        Ok(())
    }

    /// An argument may be named `$id`, and then has an object as schema; the keyword has a text.
    fn keywords(
        &mut self,
        whole: &'a Value,
        members: &'a Map<String, Value>,
        depth: usize,
    ) -> Result<(), SchemaRefusal> {
        let is_text = |name: &str| members.get(name).is_some_and(Value::is_string);
        let is_truth = |name: &str| members.get(name).is_some_and(Value::is_boolean);
        if depth == 0 {
            self.oldest = members.get("$schema").and_then(Value::as_str).is_some_and(is_oldest);
        }
        let moved = WITH_THE_WAY.into_iter().find(|name| is_text(name) || is_truth(name));
        let named = OWN_NAMES.into_iter().filter(|_| depth > 0).find(|name| is_text(name));
        let id = (depth > 0 && self.oldest && is_text("id")).then_some("id");
        if let Some(keyword) = moved.or(named).or(id) {
            return Err(SchemaRefusal::Keyword { keyword: keyword.to_owned() });
        }
        if let Some(Value::String(anchor)) = members.get("$anchor") {
            self.anchors.insert(anchor, whole);
        }
        self.asks_back |= ASKING_BACK.into_iter().any(|name| members.contains_key(name));
        Ok(())
    }
}

/// Whether `id` has the meaning of the later `$id` in this draft.
fn is_oldest(schema: &str) -> bool {
    schema.contains("draft-03") || schema.contains("draft-04")
}

/// Keywords whose meaning depends on the evaluation path.
const WITH_THE_WAY: [&str; 4] = ["$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"];
/// Keywords that give a part a name or rules of its own, which change how its references resolve.
const OWN_NAMES: [&str; 2] = ["$id", "$schema"];
/// Keywords that depend on the evaluation of other parts.
const ASKING_BACK: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];
