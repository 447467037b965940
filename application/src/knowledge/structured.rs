//! Reads structured documents by path and filter.

use serde_json::{Map, Value};

use super::field_comparison::{FieldComparison, matches_filter};
use super::pointer::field;

/// A condition on a field of each record.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldFilter {
    /// The field: its name, `outer.inner`, or a JSON pointer.
    pub field: String,
    /// How.
    pub comparison: FieldComparison,
    /// With what.
    pub value: Value,
}

/// What of a structured document is wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StructuredQuery {
    /// A JSON pointer; empty for all of it.
    pub pointer: String,
    /// Conditions that all hold.
    pub filters: Vec<FieldFilter>,
    /// The fields that are shown of each record; empty for all.
    pub fields: Vec<String>,
    /// Records at most.
    pub limit: usize,
    /// The first of them, counted from 0.
    pub offset: usize,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum StructuredResult {
    /// One value.
    One(Value),
    /// Records of a list, or of an object whose values are records.
    Many {
        /// How many there are.
        total: usize,
        /// How many of them match.
        matched: usize,
        /// This page of them; those of an object with the key of each, as `key`.
        items: Vec<Value>,
    },
}

/// Why nothing was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentPathFault {
    /// Nothing is there; what is there instead, where the path leaves what there is: the pointer up to there, and its keys.
    Nothing {
        /// As far as the path leads.
        upto: String,
        /// What goes on from there, the first of them.
        keys: Vec<String>,
    },
    /// There are no records to filter.
    NoRecords,
}

/// How many keys are named where a path leads nowhere.
const KEYS_NAMED: usize = 20;

/// Reads what is wanted of a document.
///
/// # Errors
/// [`DocumentPathFault`]: nothing is at the pointer (with the keys that are near), or there are no records to filter.
pub fn read_path(document: &Value, wanted: &StructuredQuery) -> Result<StructuredResult, DocumentPathFault> {
    let Some(value) = document.pointer(&wanted.pointer) else {
        return Err(nearest(document, &wanted.pointer));
    };
    let records: Vec<(Option<&str>, &Value)> = match value {
        Value::Array(items) => items.iter().map(|item| (None, item)).collect(),
        Value::Object(fields) if !wanted.filters.is_empty() && fields.values().all(Value::is_object) => {
            fields.iter().map(|(key, item)| (Some(key.as_str()), item)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            let no_records = !wanted.filters.is_empty();
            return if no_records {
                Err(DocumentPathFault::NoRecords)
            } else {
                Ok(StructuredResult::One(select_fields(None, value, &wanted.fields)))
            };
        }
    };
    let total = records.len();
    let matching: Vec<_> =
        records.into_iter().filter(|(_, record)| matches(record, &wanted.filters)).collect();
    let matched = matching.len();
    let page = matching.into_iter().skip(wanted.offset).take(wanted.limit);
    let items = page.map(|(key, record)| select_fields(key, record, &wanted.fields)).collect();
    Ok(StructuredResult::Many { total, matched, items })
}

fn matches(record: &Value, filters: &[FieldFilter]) -> bool {
    filters
        .iter()
        .all(|filter| matches_filter(field(record, &filter.field), filter.comparison, &filter.value))
}

/// A record with the fields that are wanted.
fn select_fields(key: Option<&str>, record: &Value, fields: &[String]) -> Value {
    let mut kept = match record {
        Value::Object(all) if fields.is_empty() => all.clone(),
        Value::Object(_) => fields
            .iter()
            .filter_map(|name| field(record, name).map(|value| (name.clone(), value.clone())))
            .collect::<Map<_, _>>(),
        other => return other.clone(),
    };
    if let Some(key) = key {
        kept.entry("key").or_insert_with(|| Value::from(key));
    }
    Value::Object(kept)
}

/// How far a path leads.
fn nearest(document: &Value, pointer: &str) -> DocumentPathFault {
    let mut upto = String::new();
    let mut here = document;
    for key in pointer.split('/').skip(1) {
        let next = format!("{upto}/{key}");
        let Some(value) = document.pointer(&next) else { break };
        (upto, here) = (next, value);
    }
    let keys = match here {
        Value::Object(fields) => fields.keys().take(KEYS_NAMED).cloned().collect(),
        Value::Array(items) if !items.is_empty() => vec![format!("0…{}", items.len() - 1)],
        Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    DocumentPathFault::Nothing { upto, keys }
}
