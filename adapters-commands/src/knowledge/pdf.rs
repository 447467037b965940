//! PDFs become text, page by page.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::{Document, PlainTextOutput, output_doc_page};

/// Why there is no text.
pub(super) enum PdfTextError {
    /// Its pages are pictures.
    Scanned,
    /// What is wrong with it.
    Unreadable(String),
}

/// The text of each page under a heading with its number. A page that cannot be read is left out, where others can.
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

/// What one page says; what goes wrong inside the reader goes wrong for this page only.
fn page(document: &Document, number: u32) -> Result<String, String> {
    let read = || {
        let mut text = String::new();
        let mut output = PlainTextOutput::new(&mut text);
        output_doc_page(document, &mut output, number).map_err(|error| error.to_string())?;
        Ok(text)
    };
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(format!("page {number} is damaged")))
}

/// A line of a page is no heading, whatever it begins with.
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
        // Between lines of pages there is often more room than between paragraphs.
        if line.is_empty() && is_empty {
            continue;
        }
        is_empty = line.is_empty();
        text.push_str(&line);
        text.push('\n');
    }
    text
}
