//! Tables become arrays of objects.

use std::str::FromStr;

use serde_json::{Map, Number, Value};

/// What may stand between the cells of a row.
const MARKS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The longest number: what is longer is a text of digits.
const NUMBER_CHARS: usize = 30;

/// The rows of a table whose first row names the columns; or why it is none.
pub(super) fn rows(text: &str) -> Result<Value, String> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(mark(text))
        .flexible(true)
        .trim(csv::Trim::Headers)
        .from_reader(text.as_bytes());
    let heads: Vec<String> =
        reader.headers().map_err(|error| error.to_string())?.iter().map(str::to_owned).collect();
    let mut names: Vec<String> = Vec::with_capacity(heads.len());
    for (index, head) in heads.into_iter().enumerate() {
        let name = if head.is_empty() || names.contains(&head) { column(index) } else { head };
        names.push(name);
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let cells = record
            .iter()
            .enumerate()
            .map(|(index, cell)| (names.get(index).cloned().unwrap_or_else(|| column(index)), value(cell)));
        rows.push(Value::Object(cells.collect::<Map<_, _>>()));
    }
    Ok(Value::Array(rows))
}

fn column(index: usize) -> String {
    format!("column {}", index + 1)
}

/// The mark that the first line has most of.
fn mark(text: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default();
    let times = |mark: &u8| first.bytes().filter(|byte| byte == mark).count();
    let most = MARKS.iter().rev().max_by_key(|mark| times(mark));
    most.copied().unwrap_or(b',')
}

/// A number where it is written as one: not a postal code or a telephone number.
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
