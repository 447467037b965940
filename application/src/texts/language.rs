//! The languages that the product speaks.

use serde::{Deserialize, Serialize};

entracte_domain::words! {
    "language";
    /// The languages that the product speaks, to people and to models.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Language {
        /// English, the default.
        #[default]
        En = "en",
        /// French, as complete as English.
        Fr = "fr",
    }
}
