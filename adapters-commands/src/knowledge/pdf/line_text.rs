//! The text of one line of glyphs: spaces by the gaps between them, accents composed, in the order of reading.

use unicode_bidi::{BidiClass, BidiInfo, Level, bidi_class};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::fonts::GlyphText;

/// The gap between two words, in parts of the font size.
const WORD_GAP: f64 = 0.12;
/// The gap between two cells of a table, or two columns.
const CELL_GAP: f64 = 1.6;
/// How far back a glyph may begin before the one drawn before it, as accents and kerned letters do.
const BACK_STEP: f64 = 0.3;
/// How far apart the two copies of a glyph are that is drawn twice to look bold.
const BOLD_SHIFT: f64 = 0.15;
/// The least pairs of letters by which a line is taken for letter-spaced.
const SPACED_PAIRS: usize = 6;
/// The usual gaps between the letters of a line that is letter-spaced.
const SPACED_GAPS: std::ops::Range<f64> = 0.06..0.5;

/// A glyph on its line, from `start` to `end` along the baseline.
#[derive(Clone, Debug)]
pub(super) struct LineGlyph {
    pub(super) text: GlyphText,
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) baseline: f64,
    pub(super) size: f64,
}

/// The text of a line in logical order, with spaces between words and tabs between cells.
pub(super) fn line_text(glyphs: &[LineGlyph]) -> String {
    let is_rtl = glyphs.iter().any(|glyph| is_right_to_left(&glyph.text));
    let mut glyphs = if is_rtl { with_joined_marks(glyphs) } else { glyphs.to_vec() };
    let is_forward = |pair: &[LineGlyph]| match pair {
        [before, next] => next.start >= before.start - BACK_STEP * before.size,
        _ => true,
    };
    if is_rtl || !glyphs.windows(2).all(is_forward) {
        glyphs.sort_by(|a, b| a.start.total_cmp(&b.start));
        remove_duplicates(&mut glyphs);
    }
    compose_accents(&mut glyphs);
    let pieces = spaced_pieces(&glyphs);
    if is_rtl { in_logical_order(&pieces) } else { pieces.concat() }
}

fn is_right_to_left(text: &GlyphText) -> bool {
    let is_rtl = |char: char| char >= '\u{590}' && matches!(bidi_class(char), BidiClass::R | BidiClass::AL);
    match text {
        GlyphText::Unknown => false,
        GlyphText::Char(char) => is_rtl(*char),
        GlyphText::Chars(chars) => chars.chars().any(is_rtl),
    }
}

/// Joins the marks of right-to-left letters to them, by the order of drawing: a mark has no width, and where it begins
/// says little of the letter on which it stands.
fn with_joined_marks(glyphs: &[LineGlyph]) -> Vec<LineGlyph> {
    let letters: Vec<&LineGlyph> = glyphs.iter().filter(|glyph| is_right_to_left(&glyph.text)).collect();
    let forward = letters.windows(2).filter(|pair| matches!(pair, [a, b] if b.start > a.start)).count();
    // Drawn as it is shown, a letter follows its marks; drawn as it is read, its marks follow.
    let is_shown_order = forward * 2 > letters.len();
    let mut joined: Vec<LineGlyph> = Vec::with_capacity(glyphs.len());
    let mut marks: Vec<LineGlyph> = Vec::new();
    for glyph in glyphs {
        if is_mark(&glyph.text) {
            match joined.last_mut().filter(|last| !is_shown_order && is_right_to_left(&last.text)) {
                Some(letter) => add_mark(letter, glyph),
                None => marks.push(glyph.clone()),
            }
            continue;
        }
        let mut glyph = glyph.clone();
        if is_right_to_left(&glyph.text) {
            marks.drain(..).rev().for_each(|mark| add_mark(&mut glyph, &mark));
        }
        joined.append(&mut marks);
        joined.push(glyph);
    }
    joined.append(&mut marks);
    joined
}

fn is_mark(text: &GlyphText) -> bool {
    match text {
        GlyphText::Unknown => false,
        GlyphText::Char(char) => is_combining_mark(*char),
        GlyphText::Chars(chars) => !chars.is_empty() && chars.chars().all(is_combining_mark),
    }
}

fn add_mark(letter: &mut LineGlyph, mark: &LineGlyph) {
    let composed: String =
        [&letter.text, &mark.text].into_iter().map(text_of).collect::<String>().nfc().collect();
    letter.text = GlyphText::Chars(composed.into());
}

fn text_of(text: &GlyphText) -> String {
    match text {
        GlyphText::Unknown => String::new(),
        GlyphText::Char(char) => char.to_string(),
        GlyphText::Chars(chars) => chars.to_string(),
    }
}

/// Removes glyphs that are drawn twice to look bold.
fn remove_duplicates(glyphs: &mut Vec<LineGlyph>) {
    glyphs.dedup_by(|next, before| {
        let reach = BOLD_SHIFT * before.size.min((before.end - before.start) * 2.0);
        next.text == before.text
            && (next.start - before.start).abs() < reach
            && (next.baseline - before.baseline).abs() < BOLD_SHIFT * before.size
    });
}

/// Composes letters and the accents that are drawn over them, as TeX does.
fn compose_accents(glyphs: &mut Vec<LineGlyph>) {
    glyphs.dedup_by(|next, before| {
        let composed = match (accent_mark(&before.text), accent_mark(&next.text)) {
            (Some(mark), None) if covers(next, before) => composed_letter(&next.text, mark),
            (None, Some(mark)) if covers(before, next) => composed_letter(&before.text, mark),
            _ => None,
        };
        let Some(letter) = composed else { return false };
        before.text = GlyphText::Char(letter);
        before.start = before.start.min(next.start);
        before.end = before.end.max(next.end);
        true
    });
}

/// Whether the middle of an accent is over the letter.
fn covers(letter: &LineGlyph, accent: &LineGlyph) -> bool {
    let middle = f64::midpoint(accent.start, accent.end);
    letter.start < middle && middle < letter.end
}

/// The combining mark of an accent that is a character of its own.
fn accent_mark(text: &GlyphText) -> Option<char> {
    let GlyphText::Char(char) = text else { return None };
    Some(match char {
        '`' | '\u{2cb}' => '\u{300}',
        '\u{b4}' | '\u{2ca}' => '\u{301}',
        '^' | '\u{2c6}' => '\u{302}',
        '~' | '\u{2dc}' => '\u{303}',
        '\u{af}' | '\u{2c9}' => '\u{304}',
        '\u{2d8}' => '\u{306}',
        '\u{2d9}' => '\u{307}',
        '\u{a8}' => '\u{308}',
        '\u{2da}' => '\u{30a}',
        '\u{2dd}' => '\u{30b}',
        '\u{2c7}' => '\u{30c}',
        '\u{b8}' => '\u{327}',
        '\u{2db}' => '\u{328}',
        _ => return None,
    })
}

fn composed_letter(letter: &GlyphText, mark: char) -> Option<char> {
    let letter = match letter {
        GlyphText::Char('\u{131}') => 'i',
        GlyphText::Char('\u{237}') => 'j',
        GlyphText::Char(letter) => *letter,
        GlyphText::Unknown | GlyphText::Chars(_) => return None,
    };
    let mut composed = [letter, mark].into_iter().nfc();
    composed.next().filter(|_| composed.next().is_none())
}

/// The texts of glyphs from left to right, with a space or tab for each gap.
fn spaced_pieces(glyphs: &[LineGlyph]) -> Vec<String> {
    let spacing = letter_spacing(glyphs);
    let mut pieces: Vec<String> = Vec::with_capacity(glyphs.len());
    let mut before: Option<&LineGlyph> = None;
    let mut is_gap = true;
    for glyph in glyphs {
        if glyph.text == GlyphText::Unknown {
            continue;
        }
        let text = text_of(&glyph.text);
        // A mark stands on a letter: it neither begins a word nor ends its letter.
        if is_mark(&glyph.text) {
            pieces.push(text);
            continue;
        }
        if let Some(before) = before {
            let size = before.size.min(glyph.size);
            let gap = glyph.start - before.end;
            if gap > CELL_GAP * size {
                if is_gap {
                    pieces.pop();
                }
                pieces.push("\t".to_owned());
                is_gap = true;
            } else if !is_gap && gap > WORD_GAP * size + spacing {
                pieces.push(" ".to_owned());
                is_gap = true;
            }
        }
        before = Some(glyph);
        let is_blank = text.chars().all(char::is_whitespace);
        if !is_blank {
            pieces.push(text);
        } else if !is_gap {
            pieces.push(" ".to_owned());
        }
        is_gap = is_blank;
    }
    pieces
}

/// The gap between the letters of a word in a line that is letter-spaced, else zero.
fn letter_spacing(glyphs: &[LineGlyph]) -> f64 {
    let is_letter = |glyph: &LineGlyph| matches!(&glyph.text, GlyphText::Char(char) if char.is_alphabetic());
    let gap = |pair: &[LineGlyph]| match pair {
        [a, b] if is_letter(a) && is_letter(b) => Some((b.start - a.end) / a.size),
        _ => None,
    };
    let mut gaps: Vec<f64> = glyphs.windows(2).filter_map(gap).collect();
    if gaps.len() < SPACED_PAIRS {
        return 0.0;
    }
    gaps.sort_by(f64::total_cmp);
    let usual = gaps.get(gaps.len() / 2).copied().unwrap_or_default();
    let size = glyphs.first().map_or(0.0, |glyph| glyph.size);
    if SPACED_GAPS.contains(&usual) { usual * size } else { 0.0 }
}

/// Puts pieces that stand from left to right into the order in which they are read.
///
/// The Unicode algorithm orders logical text for display. It reverses runs, so the same runs of displayed text are
/// reversed back by it.
fn in_logical_order(pieces: &[String]) -> String {
    let clusters = letter_clusters(pieces);
    let shown: String = clusters.iter().map(|cluster| cluster.chars().next().unwrap_or(' ')).collect();
    let count = |rtl: bool| {
        let is_counted = |char: &char| match bidi_class(*char) {
            BidiClass::R | BidiClass::AL => rtl,
            BidiClass::L => !rtl,
            _ => false,
        };
        shown.chars().filter(is_counted).count()
    };
    let base = if count(true) >= count(false) { Level::rtl() } else { Level::ltr() };
    let info = BidiInfo::new(&shown, Some(base));
    let Some(paragraph) = info.paragraphs.first() else { return pieces.concat() };
    let levels = info.reordered_levels_per_char(paragraph, paragraph.range.clone());
    // Brackets are not mirrored: browsers and typesetters map the shown glyph to the character that was written.
    let order = BidiInfo::reorder_visual(&levels).into_iter();
    order.filter_map(|at| clusters.get(at)).map(String::as_str).collect()
}

/// Joins combining marks to the letter on which they stand.
fn letter_clusters(pieces: &[String]) -> Vec<String> {
    let mut clusters: Vec<String> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match clusters.last_mut() {
            Some(last) if piece.chars().all(is_combining_mark) => last.push_str(piece),
            _ => clusters.push(piece.clone()),
        }
    }
    clusters
}
