//! Level 1 is made of chunks, each about one thing, with an importance.

use serde::{Deserialize, Serialize};

/// How much a chunk matters. A small model may be spared the lower ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Importance {
    /// Helps to work well.
    #[default]
    Helpful,
    /// Without it the model makes mistakes that cost rounds.
    Needed,
    /// Without it the model cannot work at all.
    Vital,
}

impl Importance {
    /// Every grade, from the least.
    pub const ALL: [Importance; 3] = [Importance::Helpful, Importance::Needed, Importance::Vital];

    /// The word in settings.
    pub const fn word(self) -> &'static str {
        match self {
            Importance::Helpful => "helpful",
            Importance::Needed => "needed",
            Importance::Vital => "vital",
        }
    }
}

/// A part of level 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its name, for settings.
    pub name: &'static str,
    /// How much it matters.
    pub importance: Importance,
    /// What the model reads.
    pub text: String,
}
