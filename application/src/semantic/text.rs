//! The texts that are embedded. Pure.

use crate::ports::{DocumentChunk, EmbeddingModel};

/// The text to embed for a chunk: its headings and its text, truncated to the model's limit.
pub(super) fn embedding_text(chunk: &DocumentChunk, model: &EmbeddingModel) -> String {
    let heading = chunk.heading.join(" > ");
    let gap = if heading.is_empty() { "" } else { "\n\n" };
    cut(&format!("{heading}{gap}{}", chunk.text), model)
}

/// Truncates a text to the model's limit.
pub(super) fn cut(text: &str, model: &EmbeddingModel) -> String {
    text.chars().take(usize::try_from(model.max_input).unwrap_or(usize::MAX)).collect()
}
