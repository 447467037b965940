//! Level 1 is made of chunks, each about one thing, with an importance.

use serde::{Deserialize, Serialize};

entracte_domain::words! {
    "importance";
    /// How much a chunk matters. A small model may be spared the lower ones.
    #[derive(Default, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Importance {
        /// Helps to work well.
        #[default]
        Helpful = "helpful",
        /// Without it the model makes mistakes that cost rounds.
        Needed = "needed",
        /// Without it the model cannot work at all.
        Vital = "vital",
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
