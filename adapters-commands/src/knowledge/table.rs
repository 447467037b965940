//! Converts tables into arrays of objects.

use std::collections::{BTreeMap, HashSet};

use csv::StringRecord;
use entracte_application::json_value::parse;
use entracte_domain::value::JsonValue;

use super::memory_budget::{MemoryBudget, MemoryBudgetError};
use super::table_dialect::{CellNotation, NumberNotation, TableDialect, named_separator, reader};

/// The most characters of a number; a longer one is kept as text.
const NUMBER_CHARS: usize = 30;

/// Why a table has no rows.
#[derive(Debug)]
pub(super) enum TableReadError {
    /// The parser's error.
    Unreadable(String),
    /// The rows, each with its column names, exceed the memory budget.
    TooLarge,
}

impl From<csv::Error> for TableReadError {
    fn from(error: csv::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

impl From<MemoryBudgetError> for TableReadError {
    fn from(_: MemoryBudgetError) -> Self {
        Self::TooLarge
    }
}

/// The rows of a table, under the names of its columns. Lines before the header and empty lines are left out.
pub(super) fn rows(text: &str, mut budget: MemoryBudget) -> Result<JsonValue, TableReadError> {
    let (named, text) = named_separator(text);
    let dialect = TableDialect::sniff(text, named);
    let mut records = reader(text, dialect.separator).into_records().skip(dialect.preamble);
    let mut names = match records.next() {
        Some(header) => ColumnNames::from_header(&header?, &mut budget)?,
        None => ColumnNames::default(),
    };
    let notations = number_notations(text, &dialect)?;
    let mut rows = Vec::new();
    for record in records {
        let record = record?;
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        budget.object()?;
        let mut row = BTreeMap::new();
        for (index, cell) in record.iter().enumerate() {
            let name = names.name(index);
            budget.member(&name)?;
            budget.text(cell)?;
            let notation = notations.get(index).map(|notation| notation.of_cell(cell));
            let value = match notation.unwrap_or(CellNotation::AsWritten) {
                CellNotation::Number(number) => value(&number),
                CellNotation::Text => JsonValue::Text(cell.trim().to_owned()),
                CellNotation::AsWritten => value(cell),
            };
            row.insert(name, value);
        }
        rows.push(JsonValue::Object(row.into_iter().collect()));
    }
    Ok(JsonValue::List(rows))
}

/// The names of the columns, each once: those of the header, and by its place for a column without one.
#[derive(Default)]
struct ColumnNames {
    names: Vec<String>,
    known: HashSet<String>,
}

impl ColumnNames {
    fn from_header(header: &StringRecord, budget: &mut MemoryBudget) -> Result<Self, TableReadError> {
        let mut names = Self::default();
        for head in header.iter().map(str::trim) {
            budget.text(head)?;
            let is_new = !head.is_empty() && names.known.insert(head.to_owned());
            names.names.push(if is_new { head.to_owned() } else { String::new() });
        }
        for index in 0..names.names.len() {
            if names.names[index].is_empty() {
                names.names[index] = names.add_free_name(index);
            }
        }
        Ok(names)
    }

    /// The name of the column at this place, which may be beyond the header.
    fn name(&mut self, index: usize) -> String {
        while self.names.len() <= index {
            let name = self.add_free_name(self.names.len());
            self.names.push(name);
        }
        self.names[index].clone()
    }

    fn add_free_name(&mut self, index: usize) -> String {
        let mut name = column(index);
        while !self.known.insert(name.clone()) {
            name.push('\'');
        }
        name
    }
}

/// How each column writes its numbers, by all rows. A separate pass, so that no row is held as text.
fn number_notations(text: &str, dialect: &TableDialect) -> Result<Vec<NumberNotation>, TableReadError> {
    let mut notations: Vec<NumberNotation> = Vec::new();
    for record in reader(text, dialect.separator).into_records().skip(dialect.preamble.saturating_add(1)) {
        let record = record?;
        if notations.len() < record.len() {
            notations.resize(record.len(), NumberNotation::default());
        }
        notations.iter_mut().zip(record.iter()).for_each(|(notation, cell)| notation.see(cell));
    }
    Ok(notations)
}

fn column(index: usize) -> String {
    format!("column {}", index + 1)
}

/// A number if the cell is written as one; postal codes and telephone numbers stay text.
fn value(cell: &str) -> JsonValue {
    let cell = cell.trim();
    if cell.is_empty() {
        return JsonValue::Null;
    }
    let looks_like_one =
        cell.len() <= NUMBER_CHARS && cell.bytes().all(|byte| b"0123456789.-".contains(&byte));
    match looks_like_one.then(|| parse(cell)) {
        Some(Ok(number)) => number,
        Some(Err(_)) | None => JsonValue::Text(cell.to_owned()),
    }
}
