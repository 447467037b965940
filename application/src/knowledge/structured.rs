//! Reads structured documents by path and filter.

use std::collections::BTreeMap;

use entracte_domain::value::JsonValue;

use super::column_notation::{ColumnNotation, ColumnValues};
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
    pub value: JsonValue,
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
    /// Whether to return the columns of the records.
    pub columns: bool,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// How its values are written.
    pub notation: ColumnNotation,
}

/// The result of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum StructuredResult {
    /// A single value.
    One(JsonValue),
    /// Records of a list, or of an object whose values are records.
    Many {
        /// The number of all records.
        total: usize,
        /// The number of matching records.
        matched: usize,
        /// The records of this page; those of an object contain their key as `key`.
        items: Vec<JsonValue>,
        /// What the filters could not compare.
        remarks: Vec<FilterRemark>,
        /// The columns of all records, by name, if the query asks for them.
        columns: Vec<TableColumn>,
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
    /// Dates of which none tells whether the day or the month is first, which therefore did not match.
    AmbiguousDates {
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
    /// The path does not exist.
    Nothing {
        /// The existing part of the path, as a pointer.
        upto: String,
        /// What is there.
        found: PathEnd,
    },
    /// There are no records to filter.
    NoRecords,
}

/// What is at the last existing place of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// An object.
    Names {
        /// Its first names.
        first: Vec<String>,
        /// The number of all its names.
        count: usize,
    },
    /// A list with this many items.
    Items(usize),
    /// A value without parts.
    Value,
}

/// The maximum number of keys listed for a missing path.
const KEYS_NAMED: usize = 20;

/// The maximum length of a key listed for a missing path, in characters.
const NAME_CHARS: usize = 100;

/// Executes a query on a document.
///
/// # Errors
/// [`DocumentPathFault`] when the pointer does not exist (with the keys nearby), or there are no records to filter.
pub fn read_path(
    document: &JsonValue,
    wanted: &StructuredQuery,
) -> Result<StructuredResult, DocumentPathFault> {
    let Some(value) = document.pointer(&wanted.pointer) else {
        return Err(nearest(document, &wanted.pointer));
    };
    let records: Vec<(Option<&str>, &JsonValue)> = match value {
        JsonValue::List(items) => items.iter().map(|item| (None, item)).collect(),
        JsonValue::Object(fields)
            if !wanted.filters.is_empty() && fields.iter().all(|(_, field)| field.as_object().is_some()) =>
        {
            fields.iter().map(|(key, item)| (Some(key.as_str()), item)).collect()
        }
        JsonValue::Null
        | JsonValue::Bool(_)
        | JsonValue::Number(_)
        | JsonValue::Text(_)
        | JsonValue::Object(_) => {
            let no_records = !wanted.filters.is_empty();
            return if no_records {
                Err(DocumentPathFault::NoRecords)
            } else {
                Ok(StructuredResult::One(select_fields(None, value, &wanted.fields)))
            };
        }
    };
    let total = records.len();
    let filters: Vec<TypedFilter<'_>> =
        wanted.filters.iter().map(|filter| TypedFilter::new(filter, &records)).collect();
    let remarks = filters.iter().filter_map(|filter| filter.remark(&records)).collect();
    let is_first_page = wanted.offset == 0;
    let columns = if wanted.columns && is_first_page { table_columns(&records) } else { Vec::new() };
    let matching: Vec<_> = records
        .into_iter()
        .filter(|(_, record)| filters.iter().all(|filter| filter.matches(record)))
        .collect();
    let matched = matching.len();
    let page = matching.into_iter().skip(wanted.offset).take(wanted.limit);
    let items = page.map(|(key, record)| select_fields(key, record, &wanted.fields)).collect();
    Ok(StructuredResult::Many { total, matched, items, remarks, columns })
}

/// The fields of all records, by name.
fn table_columns(records: &[(Option<&str>, &JsonValue)]) -> Vec<TableColumn> {
    let mut values: BTreeMap<&String, Vec<&JsonValue>> = BTreeMap::new();
    for (name, value) in records.iter().filter_map(|(_, record)| record.as_object()).flatten() {
        values.entry(name).or_default().push(value);
    }
    let column = |(name, values): (&String, Vec<&JsonValue>)| TableColumn {
        name: name.clone(),
        notation: ColumnNotation::of(values.iter().copied()),
    };
    values.into_iter().take(COLUMNS_MAX).map(column).collect()
}

/// Maximum columns that an answer lists.
const COLUMNS_MAX: usize = 100;

/// A filter, with the notation of its field in all records.
struct TypedFilter<'a> {
    filter: &'a FieldFilter,
    column: ColumnValues,
}

impl<'a> TypedFilter<'a> {
    fn new(filter: &'a FieldFilter, records: &[(Option<&str>, &JsonValue)]) -> Self {
        let values = records.iter().filter_map(|(_, record)| field(record, &filter.field));
        Self { filter, column: ColumnValues::of(values) }
    }

    fn matches(&self, record: &JsonValue) -> bool {
        let FieldFilter { field: name, comparison, value } = self.filter;
        matches_filter(field(record, name), *comparison, value, &self.column)
    }

    fn remark(&self, records: &[(Option<&str>, &JsonValue)]) -> Option<FilterRemark> {
        let FieldFilter { field: name, comparison, value } = self.filter;
        let name = name.clone();
        let values: Vec<&JsonValue> = records.iter().filter_map(|(_, record)| field(record, &name)).collect();
        if values.is_empty() {
            let (_, first) = records.first()?;
            let known = first.as_object().into_iter().flatten().take(KEYS_NAMED);
            let known = known.map(|(name, _)| name.clone()).collect();
            return Some(FilterRemark::NoField { field: name, known });
        }
        let odd = |found: &&&JsonValue| is_incomparable(found, *comparison, value, &self.column);
        let count = values.iter().filter(odd).count();
        (count > 0).then_some(match self.column.notation {
            ColumnNotation::AmbiguousDates => FilterRemark::AmbiguousDates { field: name, count },
            ColumnNotation::Empty
            | ColumnNotation::Numbers
            | ColumnNotation::Quantities(_)
            | ColumnNotation::Dates(_)
            | ColumnNotation::Mixed => FilterRemark::Incomparable { field: name, count },
        })
    }
}

/// A record reduced to the selected fields.
fn select_fields(key: Option<&str>, record: &JsonValue, fields: &[String]) -> JsonValue {
    let mut kept = match record {
        JsonValue::Object(all) if fields.is_empty() => all.iter().cloned().collect::<BTreeMap<_, _>>(),
        JsonValue::Object(_) => fields
            .iter()
            .filter_map(|name| field(record, name).map(|value| (name.clone(), value.clone())))
            .collect(),
        other => return other.clone(),
    };
    if let Some(key) = key {
        kept.entry("key".to_owned()).or_insert_with(|| JsonValue::from(key));
    }
    JsonValue::Object(kept.into_iter().collect())
}

/// The existing part of a missing path.
fn nearest(document: &JsonValue, pointer: &str) -> DocumentPathFault {
    let mut upto = String::new();
    let mut here = document;
    for key in pointer.split('/').skip(1) {
        let next = format!("{upto}/{key}");
        let Some(value) = document.pointer(&next) else { break };
        (upto, here) = (next, value);
    }
    let found = match here {
        JsonValue::Object(fields) => PathEnd::Names {
            first: fields.iter().take(KEYS_NAMED).map(|(name, _)| shortened(name)).collect(),
            count: fields.len(),
        },
        JsonValue::List(items) => PathEnd::Items(items.len()),
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) => PathEnd::Value,
    };
    DocumentPathFault::Nothing { upto, found }
}

/// The beginning of a name, for a message.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(NAME_CHARS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}
