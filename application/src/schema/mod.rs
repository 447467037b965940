//! JSON Schemas that came from outside, bounded when they are taken in.
//!
//! A schema is a small program that runs at every call. [`Schema::new`] measures it first, without running it:
//! `scan` counts what is written, `graph` follows the references, `weight` says how often each part can be applied to
//! one value at each depth. What is too large is refused ([`SchemaRefusal`]) before a validator is made of it.
//! [`Schema::faults`] measures the arguments the same way (`load`), so that the steps of a check are known before
//! it begins. Regular expressions run in linear time; nothing is ever fetched.

mod check_costs;
mod graph;
mod refusal;
mod scan;
#[cfg(test)]
mod tests;
mod value_load;

use entracte_domain::value::JsonValue;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError, Validator};

pub use refusal::{ArgumentRefusal, SchemaRefusal};

use crate::json_value;
use crate::settings::SchemaBounds;
use check_costs::SchemaCheckCosts;
use graph::SchemaGraph;

/// A schema that was measured, ready to check values.
#[derive(Debug)]
pub struct Schema {
    validator: Validator,
    weights: SchemaCheckCosts,
    bounds: SchemaBounds,
}

impl Schema {
    /// Takes a schema in.
    ///
    /// # Errors
    /// When it is too large, cannot be checked in bounded time, or is no JSON Schema.
    pub fn new(schema: &serde_json::Value, bounds: &SchemaBounds) -> Result<Self, SchemaRefusal> {
        let weights = measure_schema(schema, bounds)?;
        let patterns = PatternOptions::regex().size_limit(bounds.pattern_bytes);
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .with_pattern_options(patterns)
            .offline()
            .build(schema)
            .map_err(|fault| library_refusal(&fault))?;
        Ok(Self { validator, weights, bounds: *bounds })
    }

    /// What is wrong with a value, in the caller's words, at most `most` of it; empty when it is right. The numbers
    /// that are checked have all the digits that were written.
    ///
    /// # Errors
    /// When the value is too large to be checked by this schema.
    pub fn faults<T>(
        &self,
        value: &JsonValue,
        most: usize,
        says: impl Fn(&ValidationError<'_>) -> T,
    ) -> Result<Vec<T>, ArgumentRefusal> {
        value_load::measure_check_steps(value, &self.weights, &self.bounds)?;
        let value = json_value::to_serde(value);
        Ok(self.validator.iter_errors(&value).take(most).map(|fault| says(&fault)).collect())
    }

    /// Whether a value can be checked, without checking it.
    ///
    /// # Errors
    /// When it is too large.
    pub fn can_check(&self, value: &JsonValue) -> Result<(), ArgumentRefusal> {
        value_load::measure_check_steps(value, &self.weights, &self.bounds).map(|_| ())
    }
}

fn measure_schema(
    schema: &serde_json::Value,
    bounds: &SchemaBounds,
) -> Result<SchemaCheckCosts, SchemaRefusal> {
    let scan = scan::scan(schema, bounds)?;
    let graph = SchemaGraph::from_schema(schema, &scan, bounds)?;
    SchemaCheckCosts::from_graph(&graph, bounds)
}

/// What the library says of a schema that it does not take. One that it refuses for a pattern is told by the pattern.
fn library_refusal(fault: &ValidationError<'_>) -> SchemaRefusal {
    let about_pattern = match fault.kind() {
        ValidationErrorKind::Format { format } => format == "regex",
        ValidationErrorKind::Pattern { .. } => true,
        _ => false,
    };
    let shown = fault.instance();
    match shown.as_str().filter(|_| about_pattern) {
        Some(pattern) => SchemaRefusal::Pattern { pattern: pattern.to_owned() },
        None => SchemaRefusal::NoSchema { says: shortened(&fault.to_string()) },
    }
}

/// The library quotes what it refuses, which may be long.
fn shortened(text: &str) -> String {
    let mut kept: String = text.chars().take(QUOTED_CHARS).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    kept
}

/// Characters of a schema or a value that a refusal quotes.
const QUOTED_CHARS: usize = 300;
