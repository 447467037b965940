//! JSON Schemas from external sources, bounded when they are accepted.
//!
//! It is a [`SchemaDocument`], with all digits of its numbers; the library gets a rounded one, beside whose numbers their
//! texts stand (`exact_keywords`).
//!
//! A schema is a small program that runs at every call. [`Schema::new`] measures it first, without running it: `scan`
//! counts its content, `references` rewrites references as pointers, `graph` follows the references, `check_costs`
//! bounds how often each part can be applied to one value at each depth. A schema that is too large is refused ([`SchemaRefusal`]) before a validator is built.
//! Those that the program brings are compiled at their first check ([`Schema::of_program`]).
//! [`Schema::faults`] measures the arguments the same way (`value_load`), so that the number of steps is known before
//! a check begins. Regular expressions run in linear time; nothing is ever fetched.

mod argument_paths;
mod check_costs;
mod document;
mod exact_instance;
mod exact_keywords;
mod graph;
mod positions;
mod references;
mod refusal;
mod repairs;
mod scan;
#[cfg(test)]
#[path = "tests/suite_tests.rs"]
mod suite_tests;
#[cfg(test)]
mod tests;
mod value_fault;
mod value_load;

use std::sync::OnceLock;

use entracte_domain::value::JsonValue;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};

pub use document::SchemaDocument;
pub use refusal::{ArgumentRefusal, SchemaRefusal};
pub use repairs::SchemaRemark;
pub use value_fault::{ValueFault, ValueFaultKind};

use crate::json_value::replace_numbers_out_of_range;
use crate::settings::SchemaBounds;
use argument_paths::argument_with_pattern;
use check_costs::SchemaCheckCosts;
use exact_instance::ExactInstance;
use exact_keywords::{exact_validator, rounded_schema};
use graph::SchemaGraph;
use references::rewrite_as_pointers;
use repairs::{remove_patterns, repair_dialect, repair_keywords};

/// A JSON Schema that checks values within bounds.
#[derive(Debug)]
pub struct Schema {
    /// The schema; null if it is compiled when it is made.
    source: SchemaDocument,
    compiled: OnceLock<Result<CompiledSchema, SchemaRefusal>>,
    bounds: SchemaBounds,
    remarks: Vec<SchemaRemark>,
}

/// A measured schema, ready to check values.
#[derive(Debug)]
struct CompiledSchema {
    validator: Validator<ExactInstance>,
    weights: SchemaCheckCosts,
}

impl Schema {
    /// Accepts a schema.
    ///
    /// # Errors
    /// When it is too large, cannot be checked in bounded time, or is not a JSON Schema.
    pub fn new(schema: impl Into<SchemaDocument>, bounds: &SchemaBounds) -> Result<Self, SchemaRefusal> {
        CompiledSchema::new(&schema.into(), bounds).map(|compiled| Self::ready(compiled, bounds, Vec::new()))
    }

    /// Takes a schema that this program brings and its tests compile: it is compiled at the first check, whatever bounds
    /// others' schemas have. If it is refused then, no value passes. The bounds of arguments hold.
    pub fn of_program(schema: impl Into<SchemaDocument>, bounds: &SchemaBounds) -> Self {
        let (source, compiled) = (schema.into(), OnceLock::new());
        Self { source, compiled, bounds: *bounds, remarks: Vec::new() }
    }

    /// Accepts the schema of a tool whose server checks its arguments, too. What no JSON Schema means is repaired; a
    /// regular expression that cannot be run is left out, and said by [`remarks`](Self::remarks).
    ///
    /// # Errors
    /// As [`new`](Self::new), except for regular expressions.
    pub fn of_tool(schema: impl Into<SchemaDocument>, bounds: &SchemaBounds) -> Result<Self, SchemaRefusal> {
        let schema: SchemaDocument = schema.into();
        let original = rounded_schema(&schema);
        let mut schema = original.clone();
        scan::scan(&schema, bounds)?;
        let (mut remarks, mut unchecked) = (Vec::new(), Vec::new());
        let is_short = |pattern: &str| pattern.chars().count() <= bounds.pattern_chars;
        if let Some(members) = schema.as_object_mut() {
            repair_dialect(members, &mut remarks);
            rewrite_as_pointers(members);
            repair_keywords(members);
            remove_patterns(members, &mut { is_short }, &mut unchecked);
        }
        let mut built = CompiledSchema::of_pointers(&schema, bounds);
        if matches!(built, Err(SchemaRefusal::Pattern { .. })) {
            let mut runs = |pattern: &str| {
                let alone = serde_json::json!({ "pattern": pattern });
                exact_validator(&alone, bounds).is_ok()
            };
            schema
                .as_object_mut()
                .into_iter()
                .for_each(|all| remove_patterns(all, &mut runs, &mut unchecked));
            built = CompiledSchema::of_pointers(&schema, bounds);
        }
        remarks.extend(unchecked.into_iter().map(|pattern| {
            let argument = argument_with_pattern(&original, &pattern);
            SchemaRemark::UncheckedPattern { argument, pattern }
        }));
        Ok(Self::ready(built?, bounds, remarks))
    }

    fn ready(compiled: CompiledSchema, bounds: &SchemaBounds, remarks: Vec<SchemaRemark>) -> Self {
        let compiled = OnceLock::from(Ok(compiled));
        Self { source: JsonValue::Null.into(), compiled, bounds: *bounds, remarks }
    }

    /// The compiled schema.
    ///
    /// # Errors
    /// When the schema is refused, which only one [of the program](Self::of_program) can be by now.
    fn compiled(&self) -> Result<&CompiledSchema, ArgumentRefusal> {
        let compiled = self.compiled.get_or_init(|| CompiledSchema::new(&self.source, &SchemaBounds::WIDEST));
        compiled.as_ref().map_err(|why| ArgumentRefusal::Schema(why.clone()))
    }

    /// What is not checked, or not as the schema says.
    pub fn remarks(&self) -> &[SchemaRemark] {
        &self.remarks
    }

    /// The faults of a value, at most `most`; empty for a valid value. Numbers are checked with all their digits.
    ///
    /// # Errors
    /// When the value is too large to be checked by this schema, or the schema is refused.
    pub fn faults(&self, value: &JsonValue, most: usize) -> Result<Vec<ValueFault>, ArgumentRefusal> {
        let compiled = self.compiled()?;
        value_load::measure_check_steps(value, &compiled.weights, &self.bounds)?;
        let value = replace_numbers_out_of_range(value.sorted());
        let faults = compiled.validator.iter_errors(&value).take(most);
        Ok(faults.map(|fault| ValueFault::new(&fault, &value)).collect())
    }

    /// Checks that a value can be checked, without checking it.
    ///
    /// # Errors
    /// When it is too large, or the schema is refused.
    pub fn can_check(&self, value: &JsonValue) -> Result<(), ArgumentRefusal> {
        value_load::measure_check_steps(value, &self.compiled()?.weights, &self.bounds).map(|_| ())
    }
}

impl CompiledSchema {
    fn new(schema: &SchemaDocument, bounds: &SchemaBounds) -> Result<Self, SchemaRefusal> {
        let mut schema = rounded_schema(schema);
        // The recursion of everything that follows is as deep as the schema.
        scan::scan(&schema, bounds)?;
        schema.as_object_mut().into_iter().for_each(rewrite_as_pointers);
        Self::of_pointers(&schema, bounds)
    }

    /// Compiles a [rounded](rounded_schema) schema whose references are pointers.
    fn of_pointers(schema: &serde_json::Value, bounds: &SchemaBounds) -> Result<Self, SchemaRefusal> {
        let weights = measure_schema(schema, bounds)?;
        let validator = exact_validator(schema, bounds).map_err(|fault| library_refusal(&fault))?;
        Ok(Self { validator, weights })
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

/// Converts the library's error about a schema to a refusal. An error about a pattern names the pattern.
fn library_refusal(fault: &ValidationError<'_>) -> SchemaRefusal {
    let about_pattern = match fault.kind() {
        ValidationErrorKind::Format { format } => format == "regex",
        ValidationErrorKind::Pattern { .. } => true,
        _ => false,
    };
    let shown = fault.instance();
    match shown.as_str().filter(|_| about_pattern) {
        Some(pattern) => SchemaRefusal::Pattern { pattern: pattern.to_owned() },
        None => SchemaRefusal::NoSchema {
            says: shortened(&fault.to_string()),
            pointer: fault.instance_path().to_string(),
        },
    }
}

/// Truncates the library's quote of a refused value.
fn shortened(text: &str) -> String {
    let mut kept: String = text.chars().take(QUOTED_CHARS).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    kept
}

/// The maximum number of characters that a refusal quotes.
const QUOTED_CHARS: usize = 300;
