//! Interprets the content of a page as far as it shows text: where each glyph stands, and what it means.

use std::collections::HashMap;

use hayro_font::hayro_syntax::content::TypedIter;
use hayro_font::hayro_syntax::content::ops::TypedInstruction;
use hayro_font::hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream, String as PdfString};
use hayro_font::hayro_syntax::page::{Page, Resources};

use super::fonts::{FontIndex, GlyphText, PdfFonts, plain_letters};
use super::layers::HiddenLayers;
use super::matrix::PdfMatrix;

/// The most form XObjects within one another. A form within more is left out, and its page counts as damaged.
const FORM_DEPTH: usize = 24;
/// The most graphics states that are saved at the same time.
const STATE_DEPTH: usize = 512;
/// The most bytes of a compressed stream that holds nothing.
const EMPTY_STREAM_MAX_BYTES: usize = 16;
/// The flag of an annotation that is not shown.
const HIDDEN: i32 = 1 << 1;
/// The flag of an annotation that is only printed.
const NO_VIEW: i32 = 1 << 5;

/// A glyph on the page.
#[derive(Clone, Debug)]
pub(super) struct PlacedGlyph {
    pub(super) text: GlyphText,
    /// The start of its advance, in units of the page.
    pub(super) start: (f64, f64),
    /// The end of its advance.
    pub(super) end: (f64, f64),
    /// The font size in units of the page.
    pub(super) size: f64,
}

/// What a page shows.
#[derive(Default)]
pub(super) struct PageContent {
    pub(super) glyphs: Vec<PlacedGlyph>,
    pub(super) has_images: bool,
    /// Whether a part of it could not be read: a stream is damaged, or a font is missing.
    pub(super) is_damaged: bool,
}

/// Reads the pages of one document.
pub(super) struct ContentReader<'a> {
    fonts: PdfFonts<'a>,
    hidden: HiddenLayers,
}

impl<'a> ContentReader<'a> {
    /// A reader that leaves out the layers that the document's catalog hides.
    pub(super) fn new(catalog: Option<&Dict<'a>>) -> Self {
        let hidden = catalog.map(HiddenLayers::of_catalog).unwrap_or_default();
        Self { fonts: PdfFonts::new(), hidden }
    }

    pub(super) fn read(&mut self, page: &Page<'a>) -> PageContent {
        let mut content = PageContent::default();
        let bytes = page_stream(page, &mut content);
        let mut run =
            ContentInterpreter { reader: self, content: &mut content, marked: Vec::new(), depth: 0 };
        run.interpret(&bytes, page.resources(), PdfMatrix::IDENTITY);
        for annotation in page.raw().get::<Array<'a>>("Annots").iter().flat_map(Array::iter::<Dict<'a>>) {
            run.draw_annotation(&annotation, page.resources());
        }
        content
    }
}

/// Joins the content streams of a page. [`Page::page_stream`] does so too, but says nothing of a damaged one.
fn page_stream(page: &Page<'_>, content: &mut PageContent) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut add = |stream: Option<Stream<'_>>| match stream.as_ref().map(Stream::decoded_data) {
        Some(Ok(decoded)) => {
            // The library answers damaged data of a filter with as much as it could decode.
            let had_data = stream.is_some_and(|stream| stream.raw_data().len() > EMPTY_STREAM_MAX_BYTES);
            content.is_damaged |= decoded.is_empty() && had_data;
            bytes.extend_from_slice(&decoded);
            bytes.push(b'\n');
        }
        Some(Err(_)) | None => content.is_damaged = true,
    };
    match page.raw().get::<Object<'_>>("Contents") {
        Some(Object::Array(parts)) => parts.iter::<Object<'_>>().for_each(|part| add(part.into_stream())),
        Some(Object::Stream(stream)) => add(Some(stream)),
        Some(Object::Null(_)) => {}
        Some(_) => content.is_damaged = true,
        None => content.is_damaged = page.raw().contains_key("Contents"),
    }
    bytes
}

/// The graphics state, as far as it places text.
#[derive(Clone)]
struct TextGraphicsState {
    ctm: PdfMatrix,
    font: Option<FontIndex>,
    font_size: f64,
    char_spacing: f64,
    word_spacing: f64,
    scaling: f64,
    leading: f64,
    rise: f64,
}

/// The state of one content stream.
struct StreamState {
    graphics: TextGraphicsState,
    saved: Vec<TextGraphicsState>,
    text_matrix: PdfMatrix,
    line_matrix: PdfMatrix,
    fonts: HashMap<Vec<u8>, Option<FontIndex>>,
}

impl StreamState {
    fn new(ctm: PdfMatrix) -> Self {
        let graphics = TextGraphicsState {
            ctm,
            font: None,
            font_size: 1.0,
            char_spacing: 0.0,
            word_spacing: 0.0,
            scaling: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        Self {
            graphics,
            saved: Vec::new(),
            text_matrix: PdfMatrix::IDENTITY,
            line_matrix: PdfMatrix::IDENTITY,
            fonts: HashMap::new(),
        }
    }

    fn set_text_matrix(&mut self, matrix: PdfMatrix) {
        self.line_matrix = matrix;
        self.text_matrix = matrix;
    }

    fn move_line(&mut self, x: f64, y: f64) {
        self.set_text_matrix(PdfMatrix::translation(x, y).followed_by(self.line_matrix));
    }

    fn move_to_next_line(&mut self) {
        self.move_line(0.0, -self.graphics.leading);
    }

    fn advance(&mut self, x: f64, y: f64) {
        self.text_matrix = PdfMatrix::translation(x, y).followed_by(self.text_matrix);
    }

    /// Applies the instructions that change how and where text is placed.
    fn change_by(&mut self, instruction: &TypedInstruction<'_, '_>) {
        let graphics = &mut self.graphics;
        match instruction {
            TypedInstruction::SaveState(_) if self.saved.len() < STATE_DEPTH => {
                self.saved.push(graphics.clone())
            }
            TypedInstruction::RestoreState(_) => {
                if let Some(saved) = self.saved.pop() {
                    *graphics = saved;
                }
            }
            TypedInstruction::Transform(m) => {
                graphics.ctm = matrix([m.0, m.1, m.2, m.3, m.4, m.5]).followed_by(graphics.ctm);
            }
            TypedInstruction::CharacterSpacing(by) => graphics.char_spacing = by.0.as_f64(),
            TypedInstruction::WordSpacing(by) => graphics.word_spacing = by.0.as_f64(),
            TypedInstruction::HorizontalScaling(by) => graphics.scaling = by.0.as_f64() / 100.0,
            TypedInstruction::TextLeading(by) => graphics.leading = by.0.as_f64(),
            TypedInstruction::TextRise(by) => graphics.rise = by.0.as_f64(),
            TypedInstruction::BeginText(_) => self.set_text_matrix(PdfMatrix::IDENTITY),
            TypedInstruction::SetTextMatrix(m) => {
                self.set_text_matrix(matrix([m.0, m.1, m.2, m.3, m.4, m.5]));
            }
            TypedInstruction::NextLine(by) => self.move_line(by.0.as_f64(), by.1.as_f64()),
            TypedInstruction::NextLineAndSetLeading(by) => {
                graphics.leading = -by.1.as_f64();
                self.move_line(by.0.as_f64(), by.1.as_f64());
            }
            TypedInstruction::NextLineUsingLeading(_) => self.move_to_next_line(),
            _ => {}
        }
    }
}

/// A marked-content sequence.
struct MarkedContent {
    is_hidden: bool,
    /// The text that stands for its glyphs, and the number of glyphs before it.
    replacement: Option<(String, usize)>,
}

struct ContentInterpreter<'r, 'a> {
    reader: &'r mut ContentReader<'a>,
    content: &'r mut PageContent,
    marked: Vec<MarkedContent>,
    depth: usize,
}

impl<'a> ContentInterpreter<'_, 'a> {
    fn interpret(&mut self, bytes: &[u8], resources: &Resources<'a>, ctm: PdfMatrix) {
        let mut state = StreamState::new(ctm);
        let marked = self.marked.len();
        let mut instructions = TypedIter::new(bytes);
        while let Some(instruction) = instructions.next() {
            match instruction {
                TypedInstruction::SetGraphicsState(name) => {
                    let font =
                        resources.get_ext_g_state(name.0).and_then(|dict| dict.get::<Array<'a>>("Font"));
                    font.into_iter().for_each(|font| self.set_font_of_array(&font, &mut state));
                }
                TypedInstruction::TextFont(font) => {
                    state.graphics.font = self.font(font.0, resources, &mut state.fonts);
                    state.graphics.font_size = font.1.as_f64();
                }
                TypedInstruction::ShowText(shown) => self.show(shown.0, &mut state),
                TypedInstruction::NextLineAndShowText(shown) => {
                    state.move_to_next_line();
                    self.show(shown.0, &mut state);
                }
                TypedInstruction::ShowTextWithParameters(shown) => {
                    state.graphics.word_spacing = shown.0.as_f64();
                    state.graphics.char_spacing = shown.1.as_f64();
                    state.move_to_next_line();
                    self.show(shown.2, &mut state);
                }
                TypedInstruction::ShowTexts(shown) => self.show_array(shown.0, &mut state),
                TypedInstruction::XObject(name) => {
                    if let Some(object) = resources.get_x_object(name.0) {
                        self.draw_object(&object, resources, state.graphics.ctm);
                    }
                }
                TypedInstruction::InlineImage(_) => self.content.has_images |= !self.is_hidden(),
                TypedInstruction::BeginMarkedContent(_) => self.begin_marked(None, false),
                TypedInstruction::BeginMarkedContentWithProperties(begin) => match begin.1 {
                    Object::Name(name) => {
                        let is_hidden = self.reader.hidden.hides(&resources.properties, name.as_ref());
                        self.begin_marked(resources.properties.get(name.as_ref()), is_hidden);
                    }
                    Object::Dict(dict) => self.begin_marked(Some(dict.clone()), false),
                    _ => self.begin_marked(None, false),
                },
                TypedInstruction::EndMarkedContent(_) if self.marked.len() > marked => self.end_marked(),
                other => state.change_by(&other),
            }
        }
        while self.marked.len() > marked {
            self.end_marked();
        }
    }

    fn is_hidden(&self) -> bool {
        self.marked.last().is_some_and(|marked| marked.is_hidden)
    }

    /// The font of a name of the resources.
    fn font(
        &mut self,
        name: &Name<'_>,
        resources: &Resources<'a>,
        known: &mut HashMap<Vec<u8>, Option<FontIndex>>,
    ) -> Option<FontIndex> {
        if let Some(font) = known.get(name.as_ref()) {
            return *font;
        }
        let font = resources.get_font(name).and_then(|dict| self.reader.fonts.load(&dict));
        known.insert(name.as_ref().to_vec(), font);
        font
    }

    /// Sets the font and the size that an array of a graphics state names.
    fn set_font_of_array(&mut self, font: &Array<'a>, state: &mut StreamState) {
        let mut parts = font.iter::<Object<'a>>();
        let dict = parts.next().and_then(Object::into_dict);
        state.graphics.font = dict.and_then(|dict| self.reader.fonts.load(&dict));
        state.graphics.font_size =
            parts.next().and_then(Object::into_number).map_or(1.0, |size| size.as_f64());
    }

    fn begin_marked(&mut self, properties: Option<Dict<'_>>, is_hidden: bool) {
        let is_hidden = is_hidden || self.is_hidden();
        let replacement = properties.and_then(|dict| dict.get::<PdfString<'_>>("ActualText"));
        let replacement =
            replacement.map(|text| (plain_letters(&text_string(text.as_bytes())), self.content.glyphs.len()));
        self.marked.push(MarkedContent { is_hidden, replacement });
    }

    fn end_marked(&mut self) {
        let Some(MarkedContent { replacement: Some((text, from)), .. }) = self.marked.pop() else { return };
        let glyphs = &mut self.content.glyphs;
        let (Some(first), Some(last)) = (glyphs.get(from), glyphs.last()) else { return };
        // One glyph takes the place of all, unless they stand on several lines: then their own places say more.
        let (x, y) = (first.start.0 - last.start.0, first.start.1 - last.start.1);
        if x.abs().min(y.abs()) > first.size / 2.0 {
            return;
        }
        let glyph = PlacedGlyph { text: GlyphText::Chars(text.into()), end: last.end, ..first.clone() };
        glyphs.truncate(from);
        glyphs.push(glyph);
    }

    fn draw_object(&mut self, object: &Stream<'a>, resources: &Resources<'a>, ctm: PdfMatrix) {
        if self.is_hidden() || self.reader.hidden.hides(object.dict(), b"OC") {
            return;
        }
        let kind = object.dict().get::<Name<'_>>("Subtype");
        match kind.as_ref().map(AsRef::as_ref) {
            Some(b"Image") => self.content.has_images = true,
            Some(b"Form") => self.draw_form(object, resources, ctm),
            _ => {}
        }
    }

    fn draw_form(&mut self, form: &Stream<'a>, resources: &Resources<'a>, ctm: PdfMatrix) {
        let Ok(bytes) = form.decoded_data() else {
            self.content.is_damaged = true;
            return;
        };
        if self.depth >= FORM_DEPTH {
            self.content.is_damaged = true;
            return;
        }
        let own = form.dict().get::<Dict<'a>>("Resources").map(Resources::new);
        let at = form.dict().get::<[f64; 6]>("Matrix").map_or(PdfMatrix::IDENTITY, PdfMatrix);
        self.depth += 1;
        self.interpret(&bytes, own.as_ref().unwrap_or(resources), at.followed_by(ctm));
        self.depth -= 1;
    }

    /// Reads the appearance of an annotation: a form field, or a note on the page.
    fn draw_annotation(&mut self, annotation: &Dict<'a>, resources: &Resources<'a>) {
        if annotation.get::<i32>("F").unwrap_or(0) & (HIDDEN | NO_VIEW) != 0 {
            return;
        }
        let Some(appearance) = annotation.get::<Dict<'a>>("AP") else { return };
        let stream = appearance.get::<Stream<'a>>("N").or_else(|| {
            let state = annotation.get::<Name<'_>>("AS")?;
            appearance.get::<Dict<'a>>("N")?.get::<Stream<'a>>(state.as_ref())
        });
        let Some(stream) = stream else { return };
        let corner = |of: Option<[f64; 4]>| of.map_or((0.0, 0.0), |[a, b, c, d]| (a.min(c), b.min(d)));
        let (x, y) = corner(annotation.get("Rect"));
        let (left, bottom) = corner(stream.dict().get("BBox"));
        self.draw_form(&stream, resources, PdfMatrix::translation(x - left, y - bottom));
    }

    fn show_array(&mut self, parts: &Array<'_>, state: &mut StreamState) {
        let font = state.graphics.font.and_then(|font| self.reader.fonts.font_mut(font));
        let is_vertical = font.is_some_and(|font| font.is_vertical);
        for part in parts.iter::<Object<'_>>() {
            match part {
                Object::String(shown) => self.show(&shown, state),
                Object::Number(number) => {
                    let by = -number.as_f64() / 1000.0 * state.graphics.font_size;
                    if is_vertical {
                        state.advance(0.0, by);
                    } else {
                        state.advance(by * state.graphics.scaling, 0.0);
                    }
                }
                _ => {}
            }
        }
    }

    fn show(&mut self, shown: &PdfString<'_>, state: &mut StreamState) {
        let is_hidden = self.is_hidden();
        let TextGraphicsState { ctm, font, font_size, char_spacing, word_spacing, scaling, rise, .. } =
            state.graphics;
        let Some(font) = font.and_then(|font| self.reader.fonts.font_mut(font)) else {
            // The codes mean nothing without their font.
            self.content.is_damaged |= !is_hidden;
            return;
        };
        let bytes = shown.as_bytes();
        let scale = PdfMatrix([font_size * scaling, 0.0, 0.0, font_size, 0.0, rise]);
        let mut offset = 0;
        while offset < bytes.len() {
            let (code, length) = font.next_code(bytes, offset);
            offset = offset.saturating_add(length);
            let info = font.code(code);
            let is_space = code == u32::from(b' ') && length == 1;
            let spacing = char_spacing + if is_space { word_spacing } else { 0.0 };
            let advance = info.advance / 1000.0;
            if !is_hidden {
                let place = scale.followed_by(state.text_matrix).followed_by(ctm);
                let end =
                    if font.is_vertical { place.apply(0.0, advance) } else { place.apply(advance, 0.0) };
                let size = place.vertical_scale();
                self.content.glyphs.push(PlacedGlyph {
                    text: info.text,
                    start: place.apply(0.0, 0.0),
                    end,
                    size,
                });
            }
            if font.is_vertical {
                state.advance(0.0, advance * font_size + spacing);
            } else {
                state.advance((advance * font_size + spacing) * scaling, 0.0);
            }
        }
    }
}

fn matrix(numbers: [Number; 6]) -> PdfMatrix {
    PdfMatrix(numbers.map(|number| number.as_f64()))
}

/// Decodes a text string: UTF-16 or UTF-8 if it begins with their mark, else Latin-1.
fn text_string(bytes: &[u8]) -> String {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
        char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        bytes => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}
