//! How a table is written: its separator, the lines before its header, and the columns with decimal commas.

use std::collections::HashMap;

/// The supported separators of cells.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// How many records decide on the separator.
const SNIFFED_RECORDS: usize = 200;
/// The most bytes that they are looked for in.
const SNIFFED_BYTES: usize = 256 * 1024;
/// The most records before the header: the name of a bank, an account, a period.
const PREAMBLE_RECORDS: usize = 50;

/// How a table is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TableDialect {
    pub(super) separator: u8,
    /// The records before the header.
    pub(super) preamble: usize,
}

/// Takes the separator that a first line `sep=;` names, as spreadsheets write it; and the text after it.
pub(super) fn named_separator(text: &str) -> (Option<u8>, &str) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let name = first.trim_end_matches('\r').trim_matches('"');
    let separator =
        name.get(..4).filter(|start| start.eq_ignore_ascii_case("sep=")).and_then(|_| name.get(4..));
    match separator.map(str::as_bytes) {
        Some([separator]) => (Some(*separator), rest),
        _ => (None, text),
    }
}

impl TableDialect {
    /// Finds the dialect of a table: the separator by which most records have the same number of cells, and the header,
    /// the first record with as many.
    pub(super) fn sniff(text: &str, named: Option<u8>) -> Self {
        let end = text.floor_char_boundary(SNIFFED_BYTES);
        let sample = text.get(..end).unwrap_or(text);
        let candidates = named.map_or(SEPARATORS.to_vec(), |separator| vec![separator]);
        let found = candidates.into_iter().rev().map(|separator| SeparatorSample::of(sample, separator));
        let best = found.max_by_key(SeparatorSample::score);
        best.map_or(Self { separator: b',', preamble: 0 }, |best| Self {
            separator: best.separator,
            preamble: best.preamble(),
        })
    }
}

/// How the beginning of a table looks with one separator.
struct SeparatorSample {
    separator: u8,
    /// The number of cells of each record.
    cells: Vec<usize>,
    /// The usual number of cells, and how many records have it.
    usual: usize,
    agreeing: usize,
}

impl SeparatorSample {
    fn of(sample: &str, separator: u8) -> Self {
        let reader = reader(sample, separator);
        let cells: Vec<usize> = reader
            .into_records()
            .take(SNIFFED_RECORDS)
            .filter_map(|record| record.ok().map(|record| record.len()))
            .collect();
        let mut times: HashMap<usize, usize> = HashMap::new();
        for count in &cells {
            *times.entry(*count).or_default() += 1;
        }
        let usual = times.into_iter().max_by_key(|(count, times)| (*times * usize::from(*count > 1), *count));
        let (usual, agreeing) = usual.unwrap_or((0, 0));
        Self { separator, cells, usual, agreeing }
    }

    /// Records that agree on several cells, then the number of cells.
    fn score(&self) -> (usize, usize) {
        if self.usual > 1 { (self.agreeing, self.usual) } else { (0, 0) }
    }

    fn preamble(&self) -> usize {
        let header = self.cells.iter().take(PREAMBLE_RECORDS).position(|count| *count >= self.usual);
        // A header that is shorter than its rows has columns without a name.
        match header {
            Some(at) if self.usual > 1 && self.cells.iter().take(at).all(|count| *count + 1 < self.usual) => {
                at
            }
            _ => 0,
        }
    }
}

/// Reads the records of a table, whatever their length.
pub(super) fn reader(text: &str, separator: u8) -> csv::Reader<&[u8]> {
    let mut builder = csv::ReaderBuilder::new();
    builder.delimiter(separator).flexible(true).has_headers(false).from_reader(text.as_bytes())
}

/// How the numbers of a column are written, by all of its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NumberNotation {
    has_decimal_comma: bool,
    is_mixed: bool,
}

impl NumberNotation {
    pub(super) const fn new() -> Self {
        Self { has_decimal_comma: false, is_mixed: false }
    }

    /// Takes a cell into account.
    pub(super) fn see(&mut self, cell: &str) {
        let cell = cell.trim();
        if cell.is_empty() {
            return;
        }
        match comma_parts(cell) {
            // 1,234 alone may be a thousand.
            Some((whole, part)) => self.has_decimal_comma |= part.len() != 3 || whole.contains('.'),
            None => self.is_mixed |= !is_whole(cell),
        }
    }

    /// The number of a cell with a decimal point, if the column has decimal commas.
    pub(super) fn with_point(self, cell: &str) -> Option<String> {
        if !self.has_decimal_comma || self.is_mixed {
            return None;
        }
        let cell = cell.trim();
        let (whole, part) = comma_parts(cell).unwrap_or((cell, ""));
        let whole = whole.trim_start_matches('+').replace(['.', ' ', '\u{a0}', '\u{202f}'], "");
        Some(if part.is_empty() { whole } else { format!("{whole}.{part}") })
    }
}

/// The parts of a number with a decimal comma, the first maybe with separators of thousands.
fn comma_parts(cell: &str) -> Option<(&str, &str)> {
    let (whole, part) = cell.split_once(',')?;
    let are_digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (are_digits && is_whole(whole)).then_some((whole, part))
}

/// Whether a text is a whole number, maybe with a sign and points or spaces between thousands.
fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut groups = digits.split(['.', ' ', '\u{a0}', '\u{202f}']);
    let is_number = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    let mut rest = groups.peekable();
    let has_groups = rest.peek().is_some();
    is_number(first)
        && (!has_groups || first.len() <= 3)
        && rest.all(|group| is_number(group) && group.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_notation_follows_whole_column() {
        let notation = |cells: &[&str]| {
            let mut notation = NumberNotation::new();
            cells.iter().for_each(|cell| notation.see(cell));
            cells.iter().map(|cell| notation.with_point(cell).unwrap_or_default()).collect::<Vec<_>>()
        };
        assert_eq!(notation(&["12,50", "-1.234,5", "+3", ""]), ["12.50", "-1234.5", "3", ""]);
        assert_eq!(notation(&["1,234", "5,678"]), ["", ""], "thousands or decimals");
        assert_eq!(notation(&["1,23", "a"]), ["", ""], "not a column of numbers");
        assert_eq!(notation(&["1 234,50", "2\u{202f}000,00"]), ["1234.50", "2000.00"]);
    }
}
