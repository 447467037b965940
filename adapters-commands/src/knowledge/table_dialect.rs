//! How a table is written: its separator, the lines before its header, and the columns with decimal commas.

use std::collections::HashMap;

use entracte_application::knowledge::{DecimalSeparator, DecimalSeparatorTally};

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
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NumberNotation {
    tally: DecimalSeparatorTally,
    is_mixed: bool,
}

/// How a cell is read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CellNotation {
    /// As a number, here with a decimal point.
    Number(String),
    /// As a text, though it may look like a number.
    Text,
    /// As it looks by itself.
    AsWritten,
}

impl NumberNotation {
    /// Takes a cell into account.
    pub(super) fn see(&mut self, cell: &str) {
        self.tally.add(cell);
        let is_number = |separator: DecimalSeparator| separator.with_point(cell).is_some();
        self.is_mixed |= !cell.trim().is_empty() && !is_number(DecimalSeparator::Point);
    }

    /// How a cell of the column is read.
    pub(super) fn of_cell(self, cell: &str) -> CellNotation {
        let number = || self.tally.separator().with_point(cell);
        match (self.tally.separator(), self.is_mixed) {
            (DecimalSeparator::Unknown, _) | (DecimalSeparator::Point, true) => CellNotation::AsWritten,
            (DecimalSeparator::Point | DecimalSeparator::Comma, false) => {
                number().map_or(CellNotation::AsWritten, CellNotation::Number)
            }
            // `1.234` beside `12,50 €` is no 1.234: a filter reads it by its column.
            (DecimalSeparator::Comma, true) if cell.contains('.') => CellNotation::Text,
            (DecimalSeparator::Comma, true) => CellNotation::AsWritten,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_notation_follows_whole_column() {
        let notation = |cells: &[&str]| {
            let mut notation = NumberNotation::default();
            cells.iter().for_each(|cell| notation.see(cell));
            cells.iter().map(|cell| notation.of_cell(cell)).collect::<Vec<_>>()
        };
        let number = |text: &str| CellNotation::Number(text.to_owned());
        assert_eq!(
            notation(&["12,50", "-1.234,5", "1.234", "+3", ""]),
            [number("12.50"), number("-1234.5"), number("1234"), number("3"), CellNotation::AsWritten]
        );
        assert_eq!(notation(&["12.50", "1,234"]), [number("12.50"), number("1234")]);
        let as_written = || CellNotation::AsWritten;
        assert_eq!(notation(&["1,234", "5,678"]), [as_written(), as_written()], "thousands or decimals");
        assert_eq!(notation(&["1,23", "a"]), [as_written(), as_written()], "not a column of numbers");
        assert_eq!(notation(&["1.234", "12,50 €"]), [CellNotation::Text, as_written()]);
        assert_eq!(notation(&["1 234,50", "2\u{202f}000,00"]), [number("1234.50"), number("2000.00")]);
    }
}
