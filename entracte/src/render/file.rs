//! Renders files of conversations.

use entracte_adapters_http::shapes::file::{FileShape, ModelFormShape};
use entracte_application::texts::{LocalizedTexts, say};

use super::text::one_line;

/// The name, the type and the size of a file, and what models see of an image in another form, on one line.
pub(crate) fn file_words(file: &FileShape, texts: &LocalizedTexts) -> String {
    let FileShape { digest: _, media_type, name, bytes, width, height, pages, form } = file;
    let mut kind = one_line(media_type);
    if let (Some(width), Some(height)) = (width, height) {
        kind.push_str(&format!(", {width} × {height}"));
    }
    if let Some(pages) = pages {
        kind.push_str(&format!(", {pages} p."));
    }
    if let Some(ModelFormShape { width, height, first_frame, .. }) = form {
        let seen = match first_frame {
            true => say!(texts, "file-form-frame", width = *width, height = *height),
            false => say!(texts, "file-form", width = *width, height = *height),
        };
        kind.push_str(&format!(", {seen}"));
    }
    say!(texts, "file-words", name = one_line(name), kind = kind, bytes = *bytes)
}
