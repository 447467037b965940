//! Converts tables into arrays of objects.

use std::collections::HashSet;
use std::str::FromStr;

use serde_json::{Map, Number, Value};

use super::memory_budget::{MemoryBudget, MemoryBudgetError};

/// The supported separators of cells.
const MARKS: [u8; 4] = [b',', b';', b'\t', b'|'];

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

/// The rows of a table whose first row names the columns.
pub(super) fn rows(text: &str, mut budget: MemoryBudget) -> Result<Value, TableReadError> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(mark(text))
        .flexible(true)
        .trim(csv::Trim::Headers)
        .from_reader(text.as_bytes());
    let mut names: Vec<String> = Vec::new();
    let mut known: HashSet<String> = HashSet::new();
    for (index, head) in reader.headers()?.iter().enumerate() {
        budget.text(head)?;
        let name = if head.is_empty() || known.contains(head) { column(index) } else { head.to_owned() };
        known.insert(name.clone());
        names.push(name);
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record?;
        budget.object()?;
        let mut row = Map::new();
        for (index, cell) in record.iter().enumerate() {
            let name = names.get(index).cloned().unwrap_or_else(|| column(index));
            budget.member(&name)?;
            budget.text(cell)?;
            row.insert(name, value(cell));
        }
        rows.push(Value::Object(row));
    }
    Ok(Value::Array(rows))
}

fn column(index: usize) -> String {
    format!("column {}", index + 1)
}

/// The separator that occurs most often in the first line.
fn mark(text: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default();
    let times = |mark: &u8| first.bytes().filter(|byte| byte == mark).count();
    let most = MARKS.iter().rev().max_by_key(|mark| times(mark));
    most.copied().unwrap_or(b',')
}

/// A number if the cell is written as one; postal codes and telephone numbers stay text.
fn value(cell: &str) -> Value {
    let cell = cell.trim();
    if cell.is_empty() {
        return Value::Null;
    }
    let looks_like_one =
        cell.len() <= NUMBER_CHARS && cell.bytes().all(|byte| b"0123456789.-".contains(&byte));
    match Number::from_str(cell) {
        Ok(number) if looks_like_one => Value::Number(number),
        Ok(_) | Err(_) => Value::String(cell.to_owned()),
    }
}
