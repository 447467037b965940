//! Renders a model's Markdown in the columns of a terminal: headings, emphasis, lists, code and tables, without any
//! control sequence from the text.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::text::{block, one_line};
use super::wrap::{broken, columns, wrapped};
use crate::output::OutputStyle;

/// The fewest columns at which lines are broken.
const COLUMNS_MIN: usize = 16;

/// Renders a text; without a terminal it is unchanged.
pub(crate) fn draw(text: &str, style: OutputStyle) -> String {
    let Some(width) = style.width else { return block(text) };
    // The last column stays free: some terminals add an empty row after a row that fills it.
    let mut page = MarkdownRenderer {
        width: width.saturating_sub(1).max(COLUMNS_MIN),
        colour: style.colour,
        ..MarkdownRenderer::default()
    };
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    for event in parser {
        page.take(event);
    }
    page.flush();
    page.lines.join("\n")
}

/// The state of the rendering.
#[derive(Default)]
struct MarkdownRenderer {
    width: usize,
    colour: bool,
    lines: Vec<String>,
    /// The text of the open paragraph.
    words: String,
    /// The open emphases, outermost first.
    emphasis: Vec<TextEmphasis>,
    /// The margins of the open lists and quotations.
    margins: Vec<BlockMargin>,
    /// The next number of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    /// The start of each open link's text, and its target.
    links: Vec<(usize, String)>,
    code: bool,
    table: Option<MarkdownTable>,
}

/// The margin of a block's lines.
struct BlockMargin {
    /// The margin of the first line; `None` once it is drawn.
    first: Option<String>,
    rest: String,
}

#[derive(Clone, Copy)]
enum TextEmphasis {
    Heading,
    Strong,
    Slanted,
    Struck,
}

#[derive(Default)]
struct MarkdownTable {
    rows: Vec<Vec<String>>,
}

impl TextEmphasis {
    const fn code(self) -> &'static str {
        match self {
            TextEmphasis::Heading => "1;4",
            TextEmphasis::Strong => "1",
            TextEmphasis::Slanted => "3",
            TextEmphasis::Struck => "9",
        }
    }

    /// The mark used without colours.
    const fn mark(self) -> &'static str {
        match self {
            TextEmphasis::Heading => "",
            TextEmphasis::Strong => "**",
            TextEmphasis::Slanted => "*",
            TextEmphasis::Struck => "~~",
        }
    }
}

impl MarkdownRenderer {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.code => self.words.push_str(&block(&text)),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.words.push_str(&block(&text));
            }
            Event::Code(code) => self.words.push_str(&self.marked("36", "`", &one_line(&code))),
            Event::SoftBreak | Event::HardBreak => self.words.push('\n'),
            Event::Rule => {
                self.gap();
                self.words.push_str("───");
                self.flush();
            }
            Event::FootnoteReference(name) => self.words.push_str(&format!("[{}]", one_line(&name))),
            Event::TaskListMarker(done) => self.words.push_str(if done { "[x] " } else { "[ ] " }),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.words.push_str(&block(&text)),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.gap();
                if !self.colour {
                    self.words.push_str(&format!("{} ", "#".repeat(level as usize)));
                }
                self.begin(TextEmphasis::Heading);
            }
            Tag::BlockQuote(_) => {
                self.gap();
                self.margins.push(BlockMargin { first: None, rest: "│ ".to_owned() });
            }
            Tag::CodeBlock(kind) => {
                self.gap();
                self.code = true;
                if let CodeBlockKind::Fenced(language) = kind
                    && !language.is_empty()
                {
                    self.line(&format!("  {}", self.marked("2", "", &format!("[{}]", one_line(&language)))));
                }
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.gap();
                }
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Table(_) => {
                self.gap();
                self.table = Some(MarkdownTable::default());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::Emphasis => self.begin(TextEmphasis::Slanted),
            Tag::Strong => self.begin(TextEmphasis::Strong),
            Tag::Strikethrough => self.begin(TextEmphasis::Struck),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((self.words.len(), one_line(&dest_url)));
            }
            Tag::TableCell => {}
            _ => self.gap(),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.stop();
                self.flush();
            }
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.flush();
                self.margins.pop();
            }
            TagEnd::CodeBlock => self.code(),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::TableCell => {
                // Each part of the text was sanitized; the rest is Entracte's own.
                let cell = std::mem::take(&mut self.words).replace('\n', " ");
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.table(),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.stop(),
            TagEnd::Link | TagEnd::Image => self.link(),
            TagEnd::TableHead | TagEnd::TableRow => {}
            _ => self.flush(),
        }
    }

    /// Adds the target of a link, unless its text contains it.
    fn link(&mut self) {
        let Some((begin, url)) = self.links.pop() else { return };
        let said = self.words.get(begin..).unwrap_or_default();
        if said.is_empty() {
            self.words.push_str(&url);
        } else if said != url {
            self.words.push_str(&format!(" ({url})"));
        }
    }

    fn item(&mut self) {
        self.flush();
        let first = match self.lists.last_mut() {
            Some(Some(number)) => {
                let mark = format!("{number}. ");
                *number += 1;
                mark
            }
            Some(None) | None => "• ".to_owned(),
        };
        let rest = " ".repeat(columns(&first));
        self.margins.push(BlockMargin { first: Some(first), rest });
    }

    fn begin(&mut self, emphasis: TextEmphasis) {
        self.emphasis.push(emphasis);
        self.words.push_str(&match self.colour {
            true => format!("\x1b[{}m", emphasis.code()),
            false => emphasis.mark().to_owned(),
        });
    }

    fn stop(&mut self) {
        let Some(ended) = self.emphasis.pop() else { return };
        if !self.colour {
            self.words.push_str(ended.mark());
            return;
        }
        self.words.push_str("\x1b[0m");
        for open in &self.emphasis {
            self.words.push_str(&format!("\x1b[{}m", open.code()));
        }
    }

    /// The text in a colour, or between marks without colours.
    fn marked(&self, code: &str, mark: &str, text: &str) -> String {
        if !self.colour {
            return format!("{mark}{text}{mark}");
        }
        let open: String = self.emphasis.iter().map(|open| format!("\x1b[{}m", open.code())).collect();
        format!("\x1b[{code}m{text}\x1b[0m{open}")
    }

    /// An empty line before a block, except before the first one and after a list's mark.
    fn gap(&mut self) {
        self.flush();
        let after_mark = self.margins.last().is_some_and(|margin| margin.first.is_some());
        if !after_mark && self.lines.last().is_some_and(|line| !line.trim().is_empty()) {
            let margin = self.margin(false);
            self.lines.push(margin.trim_end().to_owned());
        }
    }

    /// The margin of the next line; a list's mark appears only once.
    fn margin(&mut self, takes_first: bool) -> String {
        let mut before = String::new();
        for margin in &mut self.margins {
            match margin.first.take_if(|_| takes_first) {
                Some(first) => before.push_str(&first),
                None => before.push_str(&margin.rest),
            }
        }
        before
    }

    fn line(&mut self, text: &str) {
        let margin = self.margin(true);
        self.lines.push(format!("{margin}{text}"));
    }

    /// Ends the open paragraph.
    fn flush(&mut self) {
        let words = std::mem::take(&mut self.words);
        if words.trim().is_empty() {
            return;
        }
        let first = self.margin(true);
        let rest = self.margin(false);
        self.lines.extend(wrapped(words.trim_end(), self.width, &first, &rest));
    }

    fn code(&mut self) {
        self.code = false;
        let code = std::mem::take(&mut self.words);
        let first = self.margin(true);
        let rest = self.margin(false);
        let room = self.width.saturating_sub(columns(&rest)).max(COLUMNS_MIN);
        for (index, row) in broken(&code, room, "  ").into_iter().enumerate() {
            let margin = if index == 0 { &first } else { &rest };
            let row = if self.colour { format!("\x1b[36m{row}\x1b[0m") } else { row };
            self.lines.push(format!("{margin}{row}"));
        }
    }

    fn table(&mut self) {
        let Some(MarkdownTable { rows }) = self.table.take() else { return };
        let count = rows.iter().map(Vec::len).max().unwrap_or_default();
        let widest = |column: usize| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| columns(cell)).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..count).map(widest).collect();
        let room = self.width.saturating_sub(columns(&self.margin(false)));
        let all = widths.iter().sum::<usize>() + 2 * count.saturating_sub(1);
        if all <= room {
            self.in_columns(&rows, &widths);
        } else {
            self.in_lines(&rows);
        }
    }

    fn in_columns(&mut self, rows: &[Vec<String>], widths: &[usize]) {
        for (index, row) in rows.iter().enumerate() {
            let cells = row.iter().zip(widths);
            let cells = cells
                .map(|(cell, width)| format!("{cell}{}", " ".repeat(width.saturating_sub(columns(cell)))));
            let line = cells.collect::<Vec<_>>().join("  ");
            let line =
                if index == 0 { self.marked("1", "", line.trim_end()) } else { line.trim_end().to_owned() };
            self.line(&line);
            if index == 0 {
                let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                self.line(&rules.join("  "));
            }
        }
    }

    /// A table that is too wide: each cell on its own line, after its column's head.
    fn in_lines(&mut self, rows: &[Vec<String>]) {
        let Some((heads, rows)) = rows.split_first() else { return };
        for row in rows {
            let before = self.lines.len();
            for (head, cell) in heads.iter().zip(row) {
                let first = self.margin(true);
                let rest = format!("{}  ", self.margin(false));
                let words = if head.is_empty() { cell.clone() } else { format!("{head}: {cell}") };
                self.lines.extend(wrapped(&words, self.width, &first, &rest));
            }
            if self.lines.len() > before {
                self.lines.push(String::new());
            }
        }
        self.lines.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "# Plan\n\nFirst **this**, then *that* and `code`.\n\n- one\n- two is a longer point that does not fit\n  1. inner\n\n> said before\n\n```rust\nfn main() {}\n```\n\n| name | size |\n|---|---|\n| Health | 3 |\n\nSee [the page](https://example.org).";

    fn shown(text: &str, width: usize) -> String {
        draw(text, OutputStyle { colour: false, width: Some(width) })
    }

    #[test]
    fn markdown_is_rendered() {
        let expected = "# Plan\n\nFirst **this**, then *that*\nand `code`.\n\n• one\n• two is a longer point that\n  does not fit\n  1. inner\n\n│ said before\n\n  [rust]\n  fn main() {}\n\nname    size\n──────  ────\nHealth  3\n\nSee the page\n(https://example.org).";
        assert_eq!(shown(SAID, 31), expected);
        let coloured = draw("**a** `b`", OutputStyle { colour: true, width: Some(40) });
        assert_eq!(coloured, "\u{1b}[1ma\u{1b}[0m \u{1b}[36mb\u{1b}[0m");
        assert_eq!(
            draw("**a**", OutputStyle::default()),
            "**a**",
            "without a terminal it stays as it was written"
        );
    }

    #[test]
    fn too_wide_table_is_rendered_line_by_line() {
        let table = "| what | why |\n|---|---|\n| a long first cell | because of this |\n| b | c |";
        assert_eq!(shown(table, 24), "what: a long first cell\nwhy: because of this\n\nwhat: b\nwhy: c");
    }

    #[test]
    fn control_sequences_are_removed() {
        for hostile in [
            "\u{1b}[2Jgone",
            "&#27;[2Jgone",
            "`a\u{1b}[2J`",
            "```\u{9b}2J\n\u{1b}]0;x\u{7}\n```",
            "[x](javascript:\u{1b}[2J)",
            "| \u{1b}[2J | &#27;[1m |\n|---|---|\n| \u{202e}a | b\u{7} |",
            "<b>\u{1b}[2J</b>",
            "# \u{1b}c",
        ] {
            for colour in [true, false] {
                let drawn = draw(hostile, OutputStyle { colour, width: Some(40) });
                let mut rest = drawn.as_str();
                while let Some(at) = rest.find('\u{1b}') {
                    let order = &rest[at..];
                    let end = order.find('m').unwrap_or_default();
                    let is_ours = order.starts_with("\u{1b}[")
                        && order[2..end.max(2)].chars().all(|c| c.is_ascii_digit() || c == ';');
                    assert!(colour && is_ours && end > 2, "{hostile:?} became {drawn:?}");
                    rest = &order[1..];
                }
                let hidden = |c: char| {
                    c != '\n' && c != '\u{1b}' && entracte_application::terminal_text::is_invisible(c)
                };
                assert!(!drawn.contains(hidden), "{hostile:?} became {drawn:?}");
            }
        }
    }
}
