//! The languages of the product.

use serde::{Deserialize, Serialize};

entracte_domain::words! {
    /// A language of the product's texts for people and models.
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
