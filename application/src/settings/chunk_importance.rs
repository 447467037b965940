//! How much a part of the prompt matters.

use serde::{Deserialize, Serialize};

entracte_domain::words! {
    /// How much a chunk matters. A small model may be spared the lower ones.
    #[derive(Default, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ChunkImportance {
        /// Helps to work well.
        #[default]
        Helpful = "helpful",
        /// Without it the model makes mistakes that cost rounds.
        Needed = "needed",
        /// Without it the model cannot work at all.
        Vital = "vital",
    }
}
