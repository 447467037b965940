//! Enrichments: references that people put into a message. Each becomes queries that run before the model is
//! called, and a sentence that stands in its place.
//!
//! - [`enrichment_schema`], [`ENRICHMENT_EXAMPLES`]: what people write, in one place.
//! - [`read_enrichment`], [`read_reference`]: what they wrote, checked.
//! - [`commands_of`]: the queries, as commands of the catalog. A [`Query`](entracte_domain::enrichment::Query) is
//!   all they can come from, and none of it is an action.
//! - [`EnrichmentSentenceWriter`]: the sentences.
//!
//! ```
//! use entracte_application::calendar::Calendar;
//! use entracte_application::commands::enrich::{commands_of, read_enrichment, read_reference};
//! use entracte_application::json;
//! use entracte_application::settings::{Language, Locale};
//! use entracte_application::texts::Texts;
//!
//! let (texts, calendar) = (Texts::of(Language::En), Calendar::of(&Locale::default()));
//! let written = json::parse(r#"{"type": "POINTER", "target": "zone", "id": "zon_1"}"#).unwrap();
//! let enrichment = read_enrichment(&written, &calendar, texts).unwrap();
//! let reference = read_reference(&enrichment, &calendar, texts).unwrap();
//! let commands = commands_of(&reference, &calendar);
//! assert_eq!(commands[0].name, "zones.get");
//! assert_eq!(commands[0].arguments.to_json(), r#"{"zone_id":"zon_1"}"#);
//!
//! let wrong = json::parse(r#"{"type": "USE"}"#).unwrap();
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
