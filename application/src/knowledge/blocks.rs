//! Splits a text into consecutive blocks that together cover all of it.

use std::ops::Range;

/// The kind of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TextBlockKind {
    /// A heading, with its level from 1 and its words.
    Heading(usize, String),
    /// Code or a table: not split if it fits into a chunk.
    Whole,
    /// Any other text.
    Paragraph,
}

/// A block, including the empty lines after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextBlock {
    /// The kind of the block.
    pub(super) kind: TextBlockKind,
    /// Its byte range.
    pub(super) at: Range<usize>,
}

/// The blocks of a Markdown text.
pub(super) fn parse_markdown_blocks(text: &str) -> Vec<TextBlock> {
    let mut blocks = TextBlockParser::default();
    let mut fence: Option<&str> = None;
    for (at, line) in lines(text) {
        let bare = line.trim();
        if let Some(mark) = fence {
            blocks.extend(TextBlockKind::Whole, at);
            // The closing fence has at least as many marks, and nothing else.
            if bare.starts_with(mark) && bare.chars().all(|character| mark.starts_with(character)) {
                fence = None;
                blocks.close();
            }
        } else if let Some(mark) = fence_of(bare) {
            fence = Some(mark);
            blocks.close();
            blocks.extend(TextBlockKind::Whole, at);
        } else if bare.is_empty() {
            blocks.blank(at);
        } else if let Some((level, words)) = heading(line) {
            blocks.close();
            blocks.extend(TextBlockKind::Heading(level, words), at);
            blocks.close();
        } else if let Some(level) = underline(bare).filter(|_| blocks.is_in_paragraph()) {
            blocks.underlined(level, at, text);
        } else if bare.starts_with('|') {
            blocks.extend(TextBlockKind::Whole, at);
        } else {
            blocks.extend(TextBlockKind::Paragraph, at);
        }
    }
    blocks.done
}

/// The blocks of plain text, which are separated by empty lines.
pub(super) fn parse_text_blocks(text: &str) -> Vec<TextBlock> {
    let mut blocks = TextBlockParser::default();
    for (at, line) in lines(text) {
        if line.trim().is_empty() {
            blocks.blank(at);
        } else {
            blocks.extend(TextBlockKind::Paragraph, at);
        }
    }
    blocks.done
}

#[derive(Default)]
struct TextBlockParser {
    done: Vec<TextBlock>,
    is_open: bool,
}

impl TextBlockParser {
    /// Adds a line to the open block if it has this kind, otherwise begins a new block.
    fn extend(&mut self, kind: TextBlockKind, at: Range<usize>) {
        match self.done.last_mut() {
            Some(last) if self.is_open && last.kind == kind => last.at.end = at.end,
            Some(_) | None => self.done.push(TextBlock { kind, at }),
        }
        self.is_open = true;
    }

    fn close(&mut self) {
        self.is_open = false;
    }

    /// Adds an empty line to the block before it.
    fn blank(&mut self, at: Range<usize>) {
        self.is_open = false;
        match self.done.last_mut() {
            Some(last) => last.at.end = at.end,
            None => self.done.push(TextBlock { kind: TextBlockKind::Paragraph, at }),
        }
    }

    fn is_in_paragraph(&self) -> bool {
        self.is_open && self.done.last().is_some_and(|last| last.kind == TextBlockKind::Paragraph)
    }

    /// Turns the open paragraph into a heading, as the underline below it says.
    fn underlined(&mut self, level: usize, at: Range<usize>, text: &str) {
        if let Some(last) = self.done.last_mut() {
            last.kind = TextBlockKind::Heading(level, text[last.at.clone()].trim().to_owned());
            last.at.end = at.end;
        }
        self.is_open = false;
    }
}

/// The lines including their ends, with their byte ranges.
fn lines(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut from = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = from..from + line.len();
        from = at.end;
        (at, line)
    })
}

/// The marks that open a code block.
fn fence_of(line: &str) -> Option<&str> {
    ['`', '~'].into_iter().find_map(|mark| {
        let length = line.len() - line.trim_start_matches(mark).len();
        (length >= 3).then(|| &line[..length])
    })
}

/// The level and the words of a line like `## Words`.
fn heading(line: &str) -> Option<(usize, String)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = &line[indent..];
    let level = rest.len() - rest.trim_start_matches('#').len();
    let words = &rest[level..];
    let is_one = indent < 4 && (1..=6).contains(&level) && words.starts_with([' ', '\t', '\n', '\r']);
    is_one.then(|| (level, words.trim().trim_end_matches('#').trim().to_owned()))
}

/// The level of the heading that this line underlines.
fn underline(line: &str) -> Option<usize> {
    let of = |mark: char| line.len() >= 3 && line.chars().all(|character| character == mark);
    if of('=') { Some(1) } else { of('-').then_some(2) }
}
