//! Splits texts into chunks, guided by their headings: each chunk is a piece of the text, and together they cover all
//! of it.

use std::ops::Range;

use super::blocks::{TextBlock, TextBlockKind, parse_markdown_blocks, parse_text_blocks};
use crate::settings::ChunkSizeBounds;

/// A chunk of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextChunk {
    /// The headings above it, outermost first; for a structured document, the pointer to its first record.
    pub heading: Vec<String>,
    /// The text of the chunk.
    pub text: String,
    /// Its byte range.
    pub at: Range<usize>,
}

/// Splits Markdown.
pub fn cut_markdown(text: &str, sizes: ChunkSizeBounds) -> Vec<TextChunk> {
    cut(text, &parse_markdown_blocks(text), normalize_sizes(sizes))
}

/// Splits plain text, which has no headings.
pub fn cut_text(text: &str, sizes: ChunkSizeBounds) -> Vec<TextChunk> {
    cut(text, &parse_text_blocks(text), normalize_sizes(sizes))
}

/// Corrects contradictory sizes.
fn normalize_sizes(sizes: ChunkSizeBounds) -> ChunkSizeBounds {
    let wanted = sizes.wanted.max(100);
    ChunkSizeBounds { wanted, most: sizes.most.max(wanted), overlap: sizes.overlap.min(wanted / 2) }
}

/// The maximum number of characters of a heading that each chunk below it repeats; the chunk that begins with the
/// heading contains all of it. Without a limit, a heading as long as its document would be repeated every few lines.
const HEADING_MAX_CHARS: usize = 300;

/// A chunk under construction.
struct OpenTextChunk {
    at: Range<usize>,
    heading: Vec<String>,
    /// The number of characters outside of headings.
    body: usize,
    characters: usize,
}

/// The size of the parts of a long block, in characters.
#[derive(Clone, Copy)]
struct PieceSize {
    most: usize,
    overlap: usize,
}

struct TextChunker<'a> {
    text: &'a str,
    sizes: ChunkSizeBounds,
    /// The current headings, with their levels.
    path: Vec<(usize, String)>,
    open: Option<OpenTextChunk>,
    done: Vec<TextChunk>,
}

fn cut(text: &str, blocks: &[TextBlock], sizes: ChunkSizeBounds) -> Vec<TextChunk> {
    let mut cutter = TextChunker { text, sizes, path: Vec::new(), open: None, done: Vec::new() };
    for block in blocks {
        match &block.kind {
            TextBlockKind::Heading(level, words) => cutter.heading(*level, words, &block.at),
            TextBlockKind::Whole | TextBlockKind::Paragraph => cutter.block(block),
        }
    }
    cutter.close();
    cutter.done
}

impl TextChunker<'_> {
    fn heading(&mut self, level: usize, words: &str, at: &Range<usize>) {
        // A very small piece is merged with the next one, under their common headings.
        let enough = self.sizes.wanted / 4;
        if self.open.as_ref().is_some_and(|open| open.body >= enough) {
            self.close();
        }
        self.path.retain(|(above, _)| *above < level);
        self.path.push((level, words.chars().take(HEADING_MAX_CHARS).collect()));
        let here = self.here();
        if let Some(open) = &mut self.open {
            let both = open.heading.iter().zip(&here).take_while(|(one, other)| one == other).count();
            open.heading = if open.body == 0 { here } else { here[..both].to_vec() };
        }
        self.add(at, 0);
    }

    fn block(&mut self, block: &TextBlock) {
        let characters = self.text[block.at.clone()].trim_end().chars().count();
        let most = match block.kind {
            TextBlockKind::Whole => self.sizes.most,
            TextBlockKind::Heading(..) | TextBlockKind::Paragraph => self.sizes.wanted,
        };
        let open = self.open.as_ref().map_or((0, 0), |open| (open.characters, open.body));
        if open.0 + characters <= most {
            return self.add(&block.at, characters);
        }
        // Headings alone do not form a chunk.
        if open.1 > 0 {
            self.close();
        }
        let open = self.open.as_ref().map_or(0, |open| open.characters);
        if open + characters <= most {
            return self.add(&block.at, characters);
        }
        let overlap = if block.kind == TextBlockKind::Whole { 0 } else { self.sizes.overlap };
        for part in self.parts(&block.at, open, PieceSize { most, overlap }) {
            self.add(&part, self.text[part.clone()].chars().count());
            self.close();
        }
    }

    fn add(&mut self, at: &Range<usize>, body: usize) {
        let characters = self.text[at.clone()].chars().count();
        let heading = self.here();
        let open = self.open.get_or_insert(OpenTextChunk { at: at.clone(), heading, body: 0, characters: 0 });
        open.at.end = at.end;
        open.body += body;
        open.characters += characters;
    }

    fn here(&self) -> Vec<String> {
        self.path.iter().map(|(_, words)| words.clone()).collect()
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let text = self.text[open.at.clone()].to_owned();
        // White space alone is never found; it is appended to the previous chunk.
        match self.done.last_mut() {
            Some(last) if text.trim().is_empty() => {
                last.text.push_str(&text);
                last.at.end = open.at.end;
            }
            Some(_) | None => self.done.push(TextChunk { heading: open.heading, text, at: open.at }),
        }
    }

    /// Splits a long block into parts, counting `open` characters already in the first.
    fn parts(&self, at: &Range<usize>, open: usize, size: PieceSize) -> Vec<Range<usize>> {
        let PieceSize { most, overlap } = size;
        let mut parts = Vec::new();
        let mut from = at.start;
        let mut room = most.saturating_sub(open).max(most / 2);
        while from < at.end {
            let rest = &self.text[from..at.end];
            let end = from + good_end(rest, room);
            parts.push(from..end);
            if end == at.end {
                break;
            }
            from = begin_of_overlap(self.text, from..end, overlap);
            room = most;
        }
        parts
    }
}

/// The best end of a piece of at most `room` characters: after a line, a sentence or a word, if one ends in its second
/// half.
fn good_end(text: &str, room: usize) -> usize {
    let Some((hard, _)) = text.char_indices().nth(room.max(1)) else { return text.len() };
    let half = text.char_indices().nth(room / 2).map_or(0, |(at, _)| at);
    let window = &text[half..hard];
    let after = |at: usize, length: usize| half + at + length;
    let line = window.rfind('\n').map(|at| after(at, 1));
    let sentence = [". ", "! ", "? ", "。"]
        .into_iter()
        .filter_map(|end| window.rfind(end).map(|at| after(at, end.len())))
        .max();
    let word =
        || window.char_indices().rfind(|(_, c)| c.is_whitespace()).map(|(at, c)| after(at, c.len_utf8()));
    line.max(sentence).or_else(word).unwrap_or(hard)
}

/// The start of the next piece: at a word of this one, so that both overlap by about `overlap` characters.
fn begin_of_overlap(text: &str, piece: Range<usize>, overlap: usize) -> usize {
    let Range { start: from, end } = piece;
    if overlap == 0 {
        return end;
    }
    let back = text[from..end].char_indices().rev().nth(overlap - 1).map_or(from, |(at, _)| from + at);
    let word = text[back..end].char_indices().find(|(_, c)| c.is_whitespace());
    let begin = word.map_or(end, |(at, c)| back + at + c.len_utf8());
    if begin > from { begin } else { end }
}
