//! What vectors are made of. Pure.

use crate::ports::{DocumentChunk, EmbeddingModel};

/// What a vector is made of: the headings above a chunk and its text, cut to what the model takes.
pub(super) fn embedding_text(chunk: &DocumentChunk, model: &EmbeddingModel) -> String {
    let heading = chunk.heading.join(" > ");
    let gap = if heading.is_empty() { "" } else { "\n\n" };
    cut(&format!("{heading}{gap}{}", chunk.text), model)
}

/// A text, cut to what the model takes.
pub(super) fn cut(text: &str, model: &EmbeddingModel) -> String {
    text.chars().take(usize::try_from(model.max_input).unwrap_or(usize::MAX)).collect()
}
