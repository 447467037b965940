//! Reads structured documents by path and filter.

use serde_json::{Map, Value};

use super::field_comparison::{FieldComparison, is_incomparable, matches_filter};
use super::pointer::field;

/// A condition on a field of each record.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldFilter {
    /// The field: its name, `outer.inner`, or a JSON pointer.
    pub field: String,
    /// How the field is compared.
    pub comparison: FieldComparison,
    /// The value to compare with.
    pub value: Value,
}

/// A query on a structured document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StructuredQuery {
    /// A JSON pointer; empty for the whole document.
    pub pointer: String,
    /// The conditions, all of which must hold.
    pub filters: Vec<FieldFilter>,
    /// The fields to return of each record; empty for all.
    pub fields: Vec<String>,
    /// The maximum number of records.
    pub limit: usize,
    /// The index of the first record, from 0.
    pub offset: usize,
}

/// The result of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum StructuredResult {
    /// A single value.
    One(Value),
    /// Records of a list, or of an object whose values are records.
    Many {
        /// The number of all records.
        total: usize,
        /// The number of matching records.
        matched: usize,
        /// The records of this page; those of an object contain their key as `key`.
        items: Vec<Value>,
        /// What the filters could not compare.
        remarks: Vec<FilterRemark>,
    },
}

/// What a filter could not compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterRemark {
    /// Values of another kind than the filter's, which therefore did not match.
    Incomparable {
        /// The field of the filter.
        field: String,
        /// How many of its values.
        count: usize,
    },
    /// No record has the field.
    NoField {
        /// The field of the filter.
        field: String,
        /// The first fields of the first record.
        known: Vec<String>,
    },
}

/// Why a path gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentPathFault {
    /// The path does not exist; contains the existing part of the path and the keys there.
    Nothing {
        /// The existing part of the path, as a pointer.
        upto: String,
        /// The first keys at that point.
        keys: Vec<String>,
    },
    /// There are no records to filter.
    NoRecords,
}

/// The maximum number of keys listed for a missing path.
const KEYS_NAMED: usize = 20;

/// Executes a query on a document.
///
/// # Errors
/// [`DocumentPathFault`] when the pointer does not exist (with the keys nearby), or there are no records to filter.
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
    let remarks = wanted.filters.iter().filter_map(|filter| filter_remark(filter, &records)).collect();
    let matching: Vec<_> =
        records.into_iter().filter(|(_, record)| matches(record, &wanted.filters)).collect();
    let matched = matching.len();
    let page = matching.into_iter().skip(wanted.offset).take(wanted.limit);
    let items = page.map(|(key, record)| select_fields(key, record, &wanted.fields)).collect();
    Ok(StructuredResult::Many { total, matched, items, remarks })
}

fn filter_remark(filter: &FieldFilter, records: &[(Option<&str>, &Value)]) -> Option<FilterRemark> {
    let values: Vec<&Value> = records.iter().filter_map(|(_, record)| field(record, &filter.field)).collect();
    if values.is_empty() {
        let (_, first) = records.first()?;
        let known = first.as_object().into_iter().flat_map(Map::keys).take(KEYS_NAMED).cloned().collect();
        return Some(FilterRemark::NoField { field: filter.field.clone(), known });
    }
    let odd = |value: &&&Value| is_incomparable(value, filter.comparison, &filter.value);
    let count = values.iter().filter(odd).count();
    (count > 0).then(|| FilterRemark::Incomparable { field: filter.field.clone(), count })
}

fn matches(record: &Value, filters: &[FieldFilter]) -> bool {
    filters
        .iter()
        .all(|filter| matches_filter(field(record, &filter.field), filter.comparison, &filter.value))
}

/// A record reduced to the selected fields.
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

/// The existing part of a missing path.
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
