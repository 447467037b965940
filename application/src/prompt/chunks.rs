//! Level 1 is made of chunks, each about one thing, with an importance.

use crate::settings::ChunkImportance;

/// A part of level 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptChunk {
    /// Its name, for settings.
    pub name: &'static str,
    /// How much it matters.
    pub importance: ChunkImportance,
    /// What the model reads.
    pub text: String,
}
