//! Scans the literal content of a schema once, without following references.

use serde_json::Value;

use super::refusal::SchemaRefusal;
use crate::settings::SchemaBounds;

/// The literal content of a schema.
#[derive(Debug, Default)]
pub(super) struct SchemaScan {
    /// Whether parts depend on the evaluation of others (`unevaluatedProperties`, `unevaluatedItems`).
    pub(super) asks_back: bool,
    bytes: usize,
}

/// Counts the content, and refuses a schema that is too large.
///
/// # Errors
/// The first violated bound.
pub(super) fn scan(schema: &Value, bounds: &SchemaBounds) -> Result<SchemaScan, SchemaRefusal> {
    let mut scan = SchemaScan::default();
    scan.value(schema, 0, bounds)?;
    Ok(scan)
}

impl SchemaScan {
    /// Every value takes at least a byte, so the byte limit bounds their number, too.
    fn value(&mut self, value: &Value, depth: usize, bounds: &SchemaBounds) -> Result<(), SchemaRefusal> {
        if depth > bounds.schema_depth {
            return Err(SchemaRefusal::Depth { most: bounds.schema_depth });
        }
        self.add(1, bounds)?;
        match value {
            Value::Null | Value::Bool(_) => Ok(()),
            Value::Number(number) => self.add(number.to_string().len(), bounds),
            Value::String(text) => self.add(text.len(), bounds),
            Value::Array(items) => items.iter().try_for_each(|item| self.value(item, depth + 1, bounds)),
            Value::Object(members) => {
                self.asks_back |= ASKING_BACK.into_iter().any(|name| members.contains_key(name));
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
}

/// Keywords that depend on the evaluation of other parts.
const ASKING_BACK: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];
