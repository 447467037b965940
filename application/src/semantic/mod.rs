//! Finding by meaning, over the ports: `small` makes vectors small, `nearest` compares all of a workspace, `fill` makes the
//! vectors that are missing, `search` answers.

mod fill;
mod nearest;
mod search;
mod small;
#[cfg(test)]
mod tests;
mod text;

pub use fill::{EmbeddingReport, KnowledgeEmbedder};
pub use nearest::VectorIndex;
pub use search::{SemanticSearch, SemanticSearchLimits};
pub use small::quantize_vector;
