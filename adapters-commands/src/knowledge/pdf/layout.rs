//! Puts the glyphs of a page into lines of text, by their positions and widths.

use super::content::PlacedGlyph;
use super::line_text::{LineGlyph, line_text};

/// How far apart the baselines of one line are at most, in parts of the font size.
const BASELINE: f64 = 0.12;
/// How far the baseline of an index or exponent is from that of the line it continues.
const SCRIPT_BASELINE: f64 = 0.45;
/// How far a glyph is from the line that it belongs to, if other text was drawn in between.
const REACH: f64 = 0.6;
/// How many lines back such a line is looked for.
const LOOK_BACK: usize = 48;
/// The distance of two baselines beyond which a paragraph ends.
const PARAGRAPH_GAP: f64 = 1.75;
/// The change of the font size with which a paragraph ends.
const PARAGRAPH_SIZE: f64 = 0.8;
pub(super) const SOFT_HYPHEN: char = '\u{ad}';

/// The direction of a glyph's text, and its baseline across that direction.
#[derive(Clone, Copy)]
struct BaselineFrame {
    direction: (f64, f64),
    baseline: f64,
}

/// Glyphs on one baseline, in the order in which they are drawn.
struct TextLine {
    frame: BaselineFrame,
    size: f64,
    start: f64,
    end: f64,
    glyphs: Vec<LineGlyph>,
}

impl TextLine {
    fn new(frame: BaselineFrame, glyph: LineGlyph) -> Self {
        Self { frame, size: glyph.size, start: glyph.start, end: glyph.end, glyphs: vec![glyph] }
    }

    fn push(&mut self, frame: BaselineFrame, glyph: LineGlyph) {
        // A line may begin with the mark of a footnote: larger text decides where it stands.
        if glyph.size > self.size * 1.1 {
            self.size = glyph.size;
            self.frame = frame;
        }
        self.start = self.start.min(glyph.start);
        self.end = self.end.max(glyph.end);
        self.glyphs.push(glyph);
    }

    /// How far a glyph's baseline is from that of this line; `None` if its text has another direction.
    fn shift_to(&self, frame: BaselineFrame) -> Option<f64> {
        let (x, y) = self.frame.direction;
        let is_parallel = x * frame.direction.0 + y * frame.direction.1 > 0.995;
        is_parallel.then(|| (frame.baseline - self.frame.baseline).abs())
    }

    /// Whether the glyph that is drawn next continues this line.
    fn continues_with(&self, frame: BaselineFrame, glyph: &LineGlyph) -> bool {
        let Some(shift) = self.shift_to(frame) else { return false };
        let size = self.size.max(glyph.size);
        let last = self.glyphs.last().map_or(self.end, |last| last.end);
        let is_near = (last - size..=last + 0.4 * size).contains(&glyph.start);
        shift <= BASELINE * size || (is_near && shift <= SCRIPT_BASELINE * size)
    }

    /// Whether a glyph stands beside or within the text of this line.
    fn adjoins(&self, frame: BaselineFrame, glyph: &LineGlyph) -> bool {
        let size = self.size.max(glyph.size);
        self.shift_to(frame).is_some_and(|shift| shift <= BASELINE * size)
            && glyph.start <= self.end + REACH * size
            && glyph.end >= self.start - REACH * size
    }
}

/// The words of one line, and where they stand.
pub(super) struct PageLine {
    pub(super) text: String,
    pub(super) size: f64,
    frame: BaselineFrame,
}

impl PageLine {
    fn of(line: &TextLine) -> Option<Self> {
        let text = line_text(&line.glyphs).trim().to_owned();
        (!text.is_empty()).then_some(Self { text, size: line.size, frame: line.frame })
    }

    /// The height of the line on its page; `None` if it does not run from left to right.
    pub(super) fn height(&self) -> Option<f64> {
        (self.frame.direction == (1.0, 0.0)).then_some(self.frame.baseline)
    }

    fn ends_paragraph_before(&self, next: &Self) -> bool {
        let step = self.frame.baseline - next.frame.baseline;
        let (small, large) = (self.size.min(next.size), self.size.max(next.size));
        !(0.0..=PARAGRAPH_GAP * large).contains(&step) || small < PARAGRAPH_SIZE * large
    }
}

/// The lines of a page that have words.
pub(super) fn page_lines(glyphs: Vec<PlacedGlyph>) -> Vec<PageLine> {
    text_lines(glyphs).iter().filter_map(PageLine::of).collect()
}

/// The text of lines, with an empty line between paragraphs.
pub(super) fn joined<'l>(lines: impl IntoIterator<Item = &'l PageLine>) -> String {
    let mut text = String::new();
    let mut before: Option<&PageLine> = None;
    for line in lines {
        if let Some(before) = before {
            end_line(&mut text, &line.text, before.ends_paragraph_before(line));
        }
        text.push_str(&line.text);
        before = Some(line);
    }
    text
}

/// Ends a line before the words of the next. A word that a hyphen divides is joined.
pub(super) fn end_line(text: &mut String, next: &str, is_paragraph_end: bool) {
    let mut chars = text.chars().rev();
    let is_divided = match (chars.next(), chars.next()) {
        (Some(SOFT_HYPHEN), _) => true,
        (Some('-' | '\u{2010}'), Some(letter)) => {
            letter.is_alphabetic() && next.starts_with(char::is_lowercase)
        }
        _ => false,
    };
    if is_divided {
        text.pop();
    } else {
        text.push_str(if is_paragraph_end { "\n\n" } else { "\n" });
    }
}

/// Sorts glyphs into lines, in the order in which the page draws them: it is the best guess at the order of columns.
fn text_lines(glyphs: Vec<PlacedGlyph>) -> Vec<TextLine> {
    let mut lines: Vec<TextLine> = Vec::new();
    let mut current = 0;
    for glyph in glyphs {
        let Some((frame, glyph)) = place_on_line(glyph) else { continue };
        if !lines.get(current).is_some_and(|line| line.continues_with(frame, &glyph)) {
            let from = lines.len().saturating_sub(LOOK_BACK);
            let recent = lines.get(from..).unwrap_or_default();
            let adjoining = recent.iter().rposition(|line| line.adjoins(frame, &glyph));
            current = adjoining.map_or(lines.len(), |at| from + at);
        }
        match lines.get_mut(current) {
            Some(line) => line.push(frame, glyph),
            None => lines.push(TextLine::new(frame, glyph)),
        }
    }
    lines
}

/// Turns the coordinates of a glyph so that its text runs along the first axis; `None` if it has no place.
fn place_on_line(glyph: PlacedGlyph) -> Option<(BaselineFrame, LineGlyph)> {
    let (x, y) = (glyph.end.0 - glyph.start.0, glyph.end.1 - glyph.start.1);
    let length = x.hypot(y);
    let numbers = [glyph.start.0, glyph.start.1, length, glyph.size];
    if !numbers.iter().all(|number| number.is_finite()) || glyph.size <= 0.0 {
        return None;
    }
    let direction = if length > 0.0 { (along_axis(x / length), along_axis(y / length)) } else { (1.0, 0.0) };
    let start = glyph.start.0 * direction.0 + glyph.start.1 * direction.1;
    let baseline = glyph.start.1 * direction.0 - glyph.start.0 * direction.1;
    let glyph = LineGlyph { text: glyph.text, start, end: start + length, baseline, size: glyph.size };
    Some((BaselineFrame { direction, baseline }, glyph))
}

/// A part of a direction; one that is nearly along an axis is taken for one along it.
fn along_axis(part: f64) -> f64 {
    if part.abs() < 0.02 {
        0.0
    } else if part.abs() > 0.999 {
        part.signum()
    } else {
        part
    }
}
