//! Extracts the text of PDFs, page by page.
//!
//! The content of a page says where each glyph of which font stands ([`content`]); a font says which text its glyphs
//! are ([`fonts`]). Words, lines, cells and paragraphs are only gaps between glyphs ([`layout`]). Over several pages,
//! headers and footers are lines that come again ([`running_lines`]), and a sentence may go on ([`page_breaks`]).

mod content;
mod fonts;
mod layers;
mod layout;
mod line_text;
mod matrix;
mod page_breaks;
mod running_lines;
#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};

use entracte_application::ports::{DocumentContent, ReadingGaps};
use hayro_font::hayro_syntax::object::Dict;
use hayro_font::hayro_syntax::page::Page;
use hayro_font::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use content::{ContentReader, PageContent};
use fonts::GlyphText;
use layout::PageLine;

use super::page_sections::page_section;

/// Why a PDF has no text.
pub(super) enum PdfTextError {
    /// Its pages are images.
    Scanned,
    /// The reader's error.
    Unreadable(String),
}

/// The text of each page under a heading with its number, and the pages without.
pub(super) fn read(bytes: Vec<u8>) -> Result<DocumentContent, PdfTextError> {
    let pdf = Pdf::new(bytes).map_err(|error| PdfTextError::Unreadable(load_error_text(error).to_owned()))?;
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    let mut reader = ContentReader::new(catalog.as_ref());
    let (mut pages, mut lost, mut pictures) = (Vec::new(), Vec::new(), Vec::new());
    for (number, page) in (1..).zip(pdf.pages().iter()) {
        let Some(page) = read_page(&mut reader, page) else {
            lost.push(number);
            // What the reader holds may be inconsistent after a panic.
            reader = ContentReader::new(catalog.as_ref());
            continue;
        };
        let has_text = !page.lines.is_empty();
        if page.is_damaged {
            lost.push(number);
        } else if !has_text && page.has_images {
            pictures.push(number);
        }
        if has_text {
            pages.push((number, page.lines));
        }
    }
    let text = document_text(pages);
    let gaps = ReadingGaps {
        lost: lost.into_iter().collect(),
        pictures: pictures.into_iter().collect(),
        ..ReadingGaps::default()
    };
    match (text.is_empty(), gaps.lost.is_empty(), gaps.pictures.is_empty()) {
        (true, true, false) => Err(PdfTextError::Scanned),
        (true, false, _) => Err(PdfTextError::Unreadable(format!("its pages are damaged: {}", gaps.lost))),
        (false, ..) | (true, true, true) => Ok(DocumentContent::Extracted { text, gaps }),
    }
}

/// The reason for which a whole PDF cannot be read.
const fn load_error_text(error: LoadPdfError) -> &'static str {
    match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => "it is locked with a password",
        LoadPdfError::Decryption(_) => "it is encrypted in a way that is not supported",
        LoadPdfError::Invalid => "it is not a PDF, or damaged",
    }
}

/// The text of the pages, each under a heading with its number.
fn document_text(pages: Vec<(u32, Vec<PageLine>)>) -> String {
    let (numbers, lines): (Vec<u32>, Vec<Vec<PageLine>>) = pages.into_iter().unzip();
    let mut bodies = Vec::with_capacity(lines.len());
    let mut edges = Vec::with_capacity(lines.len());
    for (page, is_running) in lines.iter().zip(running_lines::find(&lines)) {
        let select = |running: bool| {
            page.iter().zip(&is_running).filter(move |(_, is)| **is == running).map(|(line, _)| line)
        };
        bodies.push(layout::joined(select(false)));
        edges.push(layout::joined(select(true)));
    }
    page_breaks::complete_sentences(&mut bodies);
    let mut text = String::new();
    for ((number, body), edge) in numbers.into_iter().zip(bodies).zip(edges) {
        // Headers and footers follow the text of their page.
        let parts = [body, edge].map(|part| part.replace(layout::SOFT_HYPHEN, ""));
        text.push_str(&page_section(number, &parts));
    }
    text
}

/// What was read of one page.
struct PageText {
    lines: Vec<PageLine>,
    is_damaged: bool,
    has_images: bool,
}

/// Reads one page; `None` if the reader panics.
fn read_page<'a>(reader: &mut ContentReader<'a>, page: &Page<'a>) -> Option<PageText> {
    let read = move || {
        let PageContent { glyphs, is_damaged, has_images } = reader.read(page);
        let unknown = glyphs.iter().filter(|glyph| glyph.text == GlyphText::Unknown).count();
        // Most codes of its fonts have no text.
        let is_unknown = unknown > glyphs.len() / 2;
        PageText { lines: layout::page_lines(glyphs), is_damaged: is_damaged || is_unknown, has_images }
    };
    catch_unwind(AssertUnwindSafe(read)).ok()
}
