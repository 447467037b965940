//! Enrichments: references that people put into a message. Each becomes queries that run before the model is
//! called, and a sentence that replaces it.
//!
//! - [`enrichment_schema`], [`ENRICHMENT_EXAMPLES`]: the input format, in one place.
//! - [`read_enrichment`], [`read_reference`]: parse and check the input.
//! - [`commands_of`]: the queries, as commands of the catalog. They come from
//!   [`EnrichmentQuery`](entracte_domain::enrichment::EnrichmentQuery) alone, so none of them is an action.
//! - [`EnrichmentSentenceWriter`]: the sentences.
//!
//! ```
//! use entracte_application::calendar::Calendar;
//! use entracte_application::commands::enrichments::{commands_of, read_enrichment, read_reference};
//! use entracte_application::json_value;
//! use entracte_application::settings::{Language, WorkspaceLocale};
//! use entracte_application::texts::LocalizedTexts;
//!
//! let texts = LocalizedTexts::for_language(Language::En);
//! let calendar = Calendar::from_locale(&WorkspaceLocale::default());
//! let written = json_value::parse(r#"{"type": "POINTER", "target": "zone", "id": "zon_1"}"#).unwrap();
//! let enrichment = read_enrichment(&written, &calendar, texts).unwrap();
//! let reference = read_reference(&enrichment, &calendar, texts).unwrap();
//! let commands = commands_of(&reference, &calendar);
//! assert_eq!(commands[0].name, "zones.get");
//! assert_eq!(commands[0].arguments.to_json(), r#"{"zone_id":"zon_1"}"#);
//!
//! let wrong = json_value::parse(r#"{"type": "USE"}"#).unwrap();
//! let faults = read_enrichment(&wrong, &calendar, texts).unwrap_err();
//! assert!(faults[0].text.contains("\"id\""));
//! ```

mod compose;
mod read;
mod schema;
mod sentences;
#[cfg(test)]
mod tests;
mod transform;

pub use compose::compose_message;
pub use read::{read_enrichment, read_reference};
pub use schema::{ENRICHMENT_EXAMPLES, enrichment_schema};
pub use sentences::{EnrichmentSentenceWriter, SentenceAudience};
pub(crate) use transform::config;
pub use transform::{commands_of, resolve_period};
