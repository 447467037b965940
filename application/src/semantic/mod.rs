//! Finding by meaning, over the ports: `small` makes vectors small, `nearest` compares all of a workspace, `fill` makes the
//! vectors that are missing, `search` answers.

mod embedder;
mod quantization;
mod search;
#[cfg(test)]
mod tests;
mod text;
mod vector_index;

pub use embedder::{EmbeddingReport, KnowledgeEmbedder};
pub use quantization::quantize_vector;
pub use search::{SemanticSearch, SemanticSearchLimits};
pub use vector_index::VectorIndex;
