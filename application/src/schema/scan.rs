//! What is written in a schema, counted once and without following anything.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::refusal::SchemaRefusal;
use crate::settings::SchemaBounds;

/// What a schema holds as it is written.
#[derive(Debug, Default)]
pub(super) struct SchemaScan<'a> {
    /// The parts that have a name of their own (`$anchor`).
    pub(super) anchors: HashMap<&'a str, &'a Value>,
    /// Whether parts of it ask what others have looked at (`unevaluatedProperties`, `unevaluatedItems`).
    pub(super) asks_back: bool,
    /// It is of a draft whose parts are named by `id`.
    oldest: bool,
    bytes: usize,
}

/// Counts, and refuses what is too large or moves the meaning of references.
///
/// # Errors
/// The first bound that it breaks.
pub(super) fn scan<'a>(schema: &'a Value, bounds: &SchemaBounds) -> Result<SchemaScan<'a>, SchemaRefusal> {
    let mut scan = SchemaScan::default();
    scan.value(schema, 0, bounds)?;
    Ok(scan)
}

impl<'a> SchemaScan<'a> {
    /// Every value costs a byte at least, so the count of values is bounded too.
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

    /// An argument may be called `$id`, and is described by an object then; the keyword is a text.
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

/// The drafts in which `id` is what `$id` is in later ones.
fn is_oldest(schema: &str) -> bool {
    schema.contains("draft-03") || schema.contains("draft-04")
}

/// Keywords whose meaning hangs on the way that led to them.
const WITH_THE_WAY: [&str; 4] = ["$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"];
/// Keywords that give a part a name or rules of its own, which its references then go by.
const OWN_NAMES: [&str; 2] = ["$id", "$schema"];
/// Keywords that ask what other parts have looked at.
const ASKING_BACK: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];
