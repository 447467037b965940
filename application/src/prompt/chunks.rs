//! The chunks of level 1: each covers one topic and has an importance.

use crate::settings::ChunkImportance;

/// A chunk of level 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptChunk {
    /// Name, used in settings.
    pub name: &'static str,
    /// Importance, compared with the minimum of the settings.
    pub importance: ChunkImportance,
    /// The text for the model.
    pub text: String,
}
