//! Extracts the text of PDFs, page by page.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::{Document, PlainTextOutput, output_doc_page};

/// Why a PDF has no text.
pub(super) enum PdfTextError {
    /// Its pages are images.
    Scanned,
    /// The reader's error.
    Unreadable(String),
}

/// The text of each page under a heading with its number. Unreadable pages are left out if others can be read.
pub(super) fn markdown(bytes: &[u8]) -> Result<String, PdfTextError> {
    let document = Document::load_mem(bytes).map_err(|error| PdfTextError::Unreadable(error.to_string()))?;
    if document.is_encrypted() {
        return Err(PdfTextError::Unreadable("it is locked with a password".to_owned()));
    }
    let mut text = String::new();
    let mut fault = None;
    for number in document.get_pages().into_keys() {
        match page(&document, number) {
            Ok(page) if page.trim().is_empty() => {}
            Ok(page) => {
                text.push_str(&format!("# Page {number}\n\n{}\n\n", without_marks(&page)));
            }
            Err(why) => fault = Some(why),
        }
    }
    match (text.is_empty(), fault) {
        (false, _) => Ok(text),
        (true, Some(why)) => Err(PdfTextError::Unreadable(why)),
        (true, None) => Err(PdfTextError::Scanned),
    }
}

/// The text of one page; an error or panic of the reader affects only this page.
fn page(document: &Document, number: u32) -> Result<String, String> {
    let read = || {
        let mut text = String::new();
        let mut output = PlainTextOutput::new(&mut text);
        output_doc_page(document, &mut output, number).map_err(|error| error.to_string())?;
        Ok(text)
    };
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(format!("page {number} is damaged")))
}

/// Escapes Markdown at the start of a line, because no line of a page is a heading.
fn without_marks(page: &str) -> String {
    let lines = page.lines().map(|line| {
        let bare = line.trim_end();
        if bare.trim_start().starts_with(['#', '`', '~', '|', '=']) {
            format!("\\{}", bare.trim_start())
        } else {
            bare.to_owned()
        }
    });
    let mut text = String::with_capacity(page.len());
    let mut is_empty = true;
    for line in lines {
        // Extracted lines are often separated by more blank lines than paragraphs are; only one is kept.
        if line.is_empty() && is_empty {
            continue;
        }
        is_empty = line.is_empty();
        text.push_str(&line);
        text.push('\n');
    }
    text
}
