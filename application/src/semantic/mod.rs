//! Semantic search over the ports: `quantization` compresses vectors, `vector_index` compares those of a workspace,
//! `embedder` creates missing ones, `search` answers queries.

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
