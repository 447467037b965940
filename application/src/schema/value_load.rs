//! The size of a value, and the cost of checking it by a schema.

use entracte_domain::value::JsonValue;

use super::check_costs::SchemaCheckCosts;
use super::refusal::ArgumentRefusal;
use crate::settings::SchemaBounds;

/// The size of a value, by depth.
#[derive(Debug, Default)]
struct ValueLoad {
    bytes: usize,
    elements: usize,
    /// The number of values at each depth.
    values: Vec<u64>,
    /// The bytes of texts and names at each depth.
    texts: Vec<u64>,
}

/// The maximum number of steps to check this value.
///
/// # Errors
/// The first violated bound.
pub(super) fn measure_check_steps(
    value: &JsonValue,
    weights: &SchemaCheckCosts,
    bounds: &SchemaBounds,
) -> Result<u64, ArgumentRefusal> {
    let mut load = ValueLoad::default();
    load.value(value, 0, bounds)?;
    let depth = load.values.len().saturating_sub(1);
    if weights.nesting(depth) > NESTING_MAX {
        let most = NESTING_MAX / weights.chain.saturating_add(1);
        return Err(ArgumentRefusal::Depth { most: most.saturating_sub(1) });
    }
    let cost = |counts: &[u64], weights: &[u64]| {
        let pairs = counts.iter().zip(weights);
        pairs.fold(0_u64, |sum, (count, weight)| sum.saturating_add(count.saturating_mul(*weight)))
    };
    let texts = cost(&load.texts, &weights.patterns).saturating_mul(STEPS_A_BYTE);
    let steps = cost(&load.values, &weights.steps).saturating_add(texts);
    if steps > bounds.check_steps as u64 {
        return Err(ArgumentRefusal::Steps { most: bounds.check_steps });
    }
    Ok(steps)
}

impl ValueLoad {
    fn value(
        &mut self,
        value: &JsonValue,
        depth: usize,
        bounds: &SchemaBounds,
    ) -> Result<(), ArgumentRefusal> {
        if depth > bounds.argument_depth {
            return Err(ArgumentRefusal::Depth { most: bounds.argument_depth });
        }
        self.elements += 1;
        if self.elements > bounds.argument_elements {
            return Err(ArgumentRefusal::Elements { most: bounds.argument_elements });
        }
        add(&mut self.values, depth, 1);
        match value {
            JsonValue::Null | JsonValue::Bool(_) => self.bytes(1, bounds),
            JsonValue::Number(text) if text.len() > bounds.argument_digits => {
                Err(ArgumentRefusal::Digits { most: bounds.argument_digits })
            }
            JsonValue::Number(text) => self.bytes(text.len(), bounds),
            JsonValue::Text(text) => self.text(text, depth, bounds),
            JsonValue::List(items) => items.iter().try_for_each(|item| self.value(item, depth + 1, bounds)),
            JsonValue::Object(members) => members.iter().try_for_each(|(name, member)| {
                // A name is matched by the regular expressions of its object.
                self.text(name, depth, bounds)?;
                self.value(member, depth + 1, bounds)
            }),
        }
    }

    fn text(&mut self, text: &str, depth: usize, bounds: &SchemaBounds) -> Result<(), ArgumentRefusal> {
        add(&mut self.texts, depth, text.len() as u64);
        self.bytes(text.len(), bounds)
    }

    fn bytes(&mut self, bytes: usize, bounds: &SchemaBounds) -> Result<(), ArgumentRefusal> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > bounds.argument_bytes {
            return Err(ArgumentRefusal::Bytes { most: bounds.argument_bytes });
        }
        Ok(())
    }
}

fn add(counts: &mut Vec<u64>, depth: usize, more: u64) {
    if counts.len() <= depth {
        counts.resize(depth + 1, 0);
    }
    if let Some(count) = counts.get_mut(depth) {
        *count = count.saturating_add(more);
    }
}

/// The number of steps per byte of a text and regular expression: a matcher may track many states in parallel.
const STEPS_A_BYTE: u64 = 8;
/// The maximum nesting of checks that fits on the stack of a thread.
const NESTING_MAX: usize = 512;
