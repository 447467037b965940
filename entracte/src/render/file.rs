//! Renders files of conversations.

use entracte_adapters_http::shapes::file::FileShape;
use entracte_application::texts::{LocalizedTexts, say};

use super::text::one_line;

/// The name, the type and the size of a file, on one line.
pub(crate) fn file_words(file: &FileShape, texts: &LocalizedTexts) -> String {
    let FileShape { digest: _, media_type, name, bytes, width, height, pages } = file;
    let mut kind = one_line(media_type);
    if let (Some(width), Some(height)) = (width, height) {
        kind.push_str(&format!(", {width} × {height}"));
    }
    if let Some(pages) = pages {
        kind.push_str(&format!(", {pages} p."));
    }
    say!(texts, "file-words", name = one_line(name), kind = kind, bytes = *bytes)
}
