//! Fonts of a PDF: the Unicode text and the advance of each character code.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use hayro_cmap::{BfString, CMap, CMapName, CidFamily, load_embedded};
use hayro_font::hayro_syntax::object::{
    Array, Dict, Name, Object, ObjectIdentifier, Stream, String as PdfString,
};
use hayro_font::{CMapResolverFn, Font, FontCache, FontData, FontGlyph, FontQuery, FontResolverFn};
use unicode_normalization::UnicodeNormalization as _;

/// The text of a glyph: none, one character or several.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum GlyphText {
    Unknown,
    Char(char),
    Chars(Rc<str>),
}

/// What a character code of a font shows.
#[derive(Clone, Debug)]
pub(super) struct CodeInfo {
    pub(super) text: GlyphText,
    /// The advance in thousandths of the font size; down the page in vertical fonts.
    pub(super) advance: f64,
}

/// A font with the codes that were looked up so far.
pub(super) struct PdfFont<'a> {
    font: Font<'a>,
    collection: Option<CollectionDecoder>,
    pub(super) is_vertical: bool,
    is_simple: bool,
    codes: HashMap<u32, CodeInfo>,
}

impl PdfFont<'_> {
    /// Reads the next code of a shown string, with its length.
    pub(super) fn next_code(&self, bytes: &[u8], offset: usize) -> (u32, usize) {
        let (code, length) = self.font.read_code(bytes, offset);
        (code, length.max(1))
    }

    pub(super) fn code(&mut self, code: u32) -> CodeInfo {
        if let Some(info) = self.codes.get(&code) {
            return info.clone();
        }
        let info = self.look_up(code);
        self.codes.insert(code, info.clone());
        info
    }

    fn look_up(&self, code: u32) -> CodeInfo {
        let advance = self.font.code_advance(code);
        CodeInfo { text: self.text(code), advance: if self.is_vertical { advance.y } else { advance.x } }
    }

    fn text(&self, code: u32) -> GlyphText {
        let known = match self.font.glyph(self.font.map_code(code), code) {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        let known = known.filter(has_text);
        let known =
            known.or_else(|| self.collection.as_ref()?.text(code)).map_or(GlyphText::Unknown, normalized);
        match known {
            // A simple font without names of its glyphs is taken for ASCII.
            GlyphText::Unknown if self.is_simple => match u8::try_from(code) {
                Ok(code) if code.is_ascii_graphic() || code == b' ' => GlyphText::Char(char::from(code)),
                _ => GlyphText::Unknown,
            },
            known => known,
        }
    }
}

/// Whether a mapping has a text: fonts map codes without one to control and replacement characters.
fn has_text(text: &BfString) -> bool {
    let shown =
        |char: char| (!char.is_control() || char.is_whitespace()) && char != char::REPLACEMENT_CHARACTER;
    match text {
        BfString::Char(char) => shown(*char),
        BfString::String(text) => text.chars().any(shown),
    }
}

/// A text with its ligatures and Arabic presentation forms taken apart.
pub(super) fn plain_letters(text: &str) -> String {
    text.chars()
        .flat_map(|char| match is_presentation_form(char) {
            true => char.to_string().nfkc().collect::<Vec<_>>(),
            false => vec![char],
        })
        .collect()
}

fn is_presentation_form(char: char) -> bool {
    matches!(char, '\u{fb00}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
}

/// Takes ligatures and Arabic presentation forms apart.
fn normalized(text: BfString) -> GlyphText {
    let one = |char: char| match char {
        char if is_presentation_form(char) => {
            GlyphText::Chars(plain_letters(char.encode_utf8(&mut [0; 4])).into())
        }
        '\u{e000}'..='\u{f8ff}' => GlyphText::Unknown,
        char => GlyphText::Char(char),
    };
    match text {
        BfString::Char(char) => one(char),
        BfString::String(text) => {
            let mut chars = text.chars().filter(|char| !char.is_control());
            match (chars.next(), chars.next()) {
                (Some(char), None) => one(char),
                _ => GlyphText::Chars(
                    text.chars().filter(|char| !char.is_control()).nfkc().collect::<String>().into(),
                ),
            }
        }
    }
}

/// Decodes the codes of a composite font by the character collection of its glyphs (Adobe-Japan1 and the like).
struct CollectionDecoder {
    encoding: CMap,
    unicode: Rc<CMap>,
}

impl CollectionDecoder {
    fn text(&self, code: u32) -> Option<BfString> {
        let cid = (1..=4).find_map(|length| self.encoding.lookup_cid_code(code, length))?;
        self.unicode.lookup_bf_string(cid)
    }
}

/// Loads each font of a document once.
pub(super) struct PdfFonts<'a> {
    cache: FontCache<'a>,
    fonts: HashMap<ObjectIdentifier, Option<usize>>,
    loaded: Vec<PdfFont<'a>>,
    collections: HashMap<CidFamily, Option<Rc<CMap>>>,
    standard_fonts: FontResolverFn,
    cmaps: CMapResolverFn,
}

/// The place of a font in [`PdfFonts`].
#[derive(Clone, Copy, Debug)]
pub(super) struct FontIndex(usize);

impl<'a> PdfFonts<'a> {
    pub(super) fn new() -> Self {
        Self {
            cache: FontCache::new(),
            fonts: HashMap::new(),
            loaded: Vec::new(),
            collections: HashMap::new(),
            standard_fonts: Arc::new(standard_font),
            cmaps: Arc::new(|name: CMapName<'_>| load_embedded(name)),
        }
    }

    pub(super) fn font_mut(&mut self, index: FontIndex) -> Option<&mut PdfFont<'a>> {
        self.loaded.get_mut(index.0)
    }

    /// The font of a dictionary; `None` if it cannot be read.
    pub(super) fn load(&mut self, dict: &Dict<'a>) -> Option<FontIndex> {
        if let Some(known) = dict.obj_id().and_then(|id| self.fonts.get(&id)) {
            return known.map(FontIndex);
        }
        let font = self.read(dict);
        let index = font.map(|font| {
            self.loaded.push(font);
            self.loaded.len() - 1
        });
        if let Some(id) = dict.obj_id() {
            self.fonts.insert(id, index);
        }
        index.map(FontIndex)
    }

    fn read(&mut self, dict: &Dict<'a>) -> Option<PdfFont<'a>> {
        let font = self.cache.font(dict, &self.standard_fonts, &self.cmaps)?;
        let is_simple = dict.get::<Name<'_>>("Subtype").is_none_or(|kind| kind.as_ref() != b"Type0");
        let collection = if is_simple { None } else { self.collection_decoder(dict) };
        Some(PdfFont {
            is_vertical: !font.is_horizontal(),
            font,
            collection,
            is_simple,
            codes: HashMap::new(),
        })
    }

    fn collection_decoder(&mut self, dict: &Dict<'a>) -> Option<CollectionDecoder> {
        let encoding = self.encoding(&dict.get::<Object<'_>>("Encoding")?)?;
        let family = match encoding.metadata().character_collection.as_ref().map(|of| of.family.clone()) {
            Some(family) if family != CidFamily::AdobeIdentity => family,
            _ => descendant_family(dict)?,
        };
        let unicode = match self.collections.get(&family) {
            Some(known) => known.clone(),
            None => {
                let cmap = family
                    .ucs2_cmap()
                    .and_then(load_embedded)
                    .and_then(|data| CMap::parse(data, load_embedded));
                let cmap = cmap.map(Rc::new);
                self.collections.insert(family, cmap.clone());
                cmap
            }
        };
        Some(CollectionDecoder { encoding, unicode: unicode? })
    }

    fn encoding(&self, object: &Object<'_>) -> Option<CMap> {
        match object {
            Object::Name(name) => match CMapName::from_bytes(name.as_ref()) {
                CMapName::IdentityH => Some(CMap::identity_h()),
                CMapName::IdentityV => Some(CMap::identity_v()),
                name => CMap::parse(load_embedded(name)?, load_embedded),
            },
            Object::Stream(stream) => CMap::parse(&Stream::decoded_data(stream).ok()?, load_embedded),
            _ => None,
        }
    }
}

fn descendant_family(dict: &Dict<'_>) -> Option<CidFamily> {
    let descendant = dict.get::<Array<'_>>("DescendantFonts")?.iter::<Dict<'_>>().next()?;
    let info = descendant.get::<Dict<'_>>("CIDSystemInfo")?;
    let registry = info.get::<PdfString<'_>>("Registry")?;
    let ordering = info.get::<PdfString<'_>>("Ordering")?;
    Some(CidFamily::from_registry_ordering(registry.as_bytes(), ordering.as_bytes()))
}

/// The embedded stand-in for a font that the document does not contain.
fn standard_font(query: &FontQuery) -> Option<(FontData, u32)> {
    Some(match query {
        FontQuery::Standard(font) => font.get_font_data(),
        FontQuery::Fallback(query) => query.pick_standard_font().get_font_data(),
    })
}
