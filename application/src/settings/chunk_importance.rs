//! The importance of a part of the prompt.

use serde::{Deserialize, Serialize};

entracte_domain::words! {
    /// The importance of a chunk. Small models may omit the lower levels.
    #[derive(Default, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ChunkImportance {
        /// Improves the quality of the work.
        #[default]
        Helpful = "helpful",
        /// Without it the model makes mistakes that cost rounds.
        Needed = "needed",
        /// Without it the model cannot work at all.
        Vital = "vital",
    }
}
