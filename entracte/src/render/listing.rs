//! Tables: columns as wide as their longest cell, the last one cut at the width.

use entracte_application::texts::{LocalizedTexts, say};

use super::text::{cut, one_line};
use crate::error::CliError;
use crate::output::{OutputStyle, TerminalOutput};

/// The rows under a head; empty if there are no rows.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>], style: OutputStyle) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let last = head.len().saturating_sub(1);
    let cell = |(column, cell): (usize, &String)| {
        let cell = one_line(cell);
        // The last column widens no other row.
        if column < last { cut(&cell, CELL_CHARS_MAX) } else { cell }
    };
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().enumerate().map(cell).collect()).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain(head.get(column).map(|name| name.chars().count())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let head: Vec<String> = head.iter().map(|name| (*name).to_owned()).collect();
    let mut lines = vec![crate::colour::paint(&line(&head, &widths, style), "2", style.colour)];
    lines.extend(rows.iter().map(|row| line(row, &widths, style)));
    lines
}

/// Writes the rows under these heads as data; nothing if there are no rows.
pub(crate) fn write_table(
    out: &TerminalOutput,
    heads: &[String],
    rows: &[Vec<String>],
) -> Result<(), CliError> {
    table(&refs(heads), rows, out.style).iter().try_for_each(|line| out.write_data_line(line))
}

/// How many rows of a list are printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListLimit {
    /// As a person asks; 0 is all, `None` leaves it open.
    pub(crate) asked: Option<u32>,
    /// How many a person at a terminal gets who leaves it open.
    pub(crate) on_terminal: usize,
}

impl ListLimit {
    /// The most rows to print: all of them for a program, unless it asks for fewer.
    pub(crate) fn rows(self, is_person: bool) -> usize {
        match self.asked {
            Some(0) => usize::MAX,
            Some(most) => usize::try_from(most).unwrap_or(usize::MAX),
            None if is_person => self.on_terminal,
            None => usize::MAX,
        }
    }
}

/// How much of a list is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CutList {
    /// The most rows.
    pub(crate) most: usize,
    /// The rows that there are.
    pub(crate) all: usize,
}

impl CutList {
    /// Says how many rows are left out, and how to see them; nothing if there are none.
    pub(crate) fn write_left_out(self, out: &TerminalOutput, texts: &LocalizedTexts) {
        let Self { most, all } = self;
        if all > most {
            out.write_notice(&say!(texts, "list-left-out", shown = most, count = all));
        }
    }
}

/// Maximum characters of a cell before the last column: every row is as wide as the widest.
const CELL_CHARS_MAX: usize = 100;

/// The localized heads of columns.
pub(crate) fn heads(texts: &LocalizedTexts, names: &[&str]) -> Vec<String> {
    names.iter().map(|name| texts.render(&format!("head-{name}"), &[])).collect()
}

/// The localized heads of the columns of one list, such as `rule`.
pub(crate) fn heads_of(texts: &LocalizedTexts, list: &str, names: &[&str]) -> Vec<String> {
    names.iter().map(|name| texts.render(&format!("{list}-head-{name}"), &[])).collect()
}

/// The heads as `table` takes them.
pub(crate) fn refs(heads: &[String]) -> Vec<&str> {
    heads.iter().map(String::as_str).collect()
}

fn line(row: &[String], widths: &[usize], style: OutputStyle) -> String {
    let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
    let line = cells.collect::<Vec<_>>().join("  ").trim_end().to_owned();
    style.width.map_or(line.clone(), |width| cut(&line, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_person_gets_fewer_rows_unasked() {
        let limit = |asked| ListLimit { asked, on_terminal: 10 };
        assert_eq!((limit(None).rows(true), limit(None).rows(false)), (10, usize::MAX));
        for is_person in [true, false] {
            assert_eq!(limit(Some(3)).rows(is_person), 3);
            assert_eq!(limit(Some(0)).rows(is_person), usize::MAX);
        }
    }

    #[test]
    fn columns_align_and_lines_are_cut() {
        let rows =
            vec![vec!["a".to_owned(), "one".to_owned()], vec!["bcd".to_owned(), "x\u{1b}y".to_owned()]];
        let lines = table(&["id", "name"], &rows, OutputStyle { colour: false, width: Some(9) });
        assert_eq!(lines, ["id   name", "a    one", "bcd  x⟨U…"]);
        assert!(table(&["id"], &[], OutputStyle::default()).is_empty());
        let long = vec![vec!["n".repeat(5_000), "t".repeat(300)], vec!["a".to_owned(), "one".to_owned()]];
        let lines = table(&["name", "text"], &long, OutputStyle::default());
        assert_eq!(lines[1].chars().count(), 402, "the last column is whole");
        assert_eq!(lines[2].chars().count(), 105);
    }
}
