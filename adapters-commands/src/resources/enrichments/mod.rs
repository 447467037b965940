//! Enrichments: references that people put into a message. Each becomes queries that run before the model is called,
//! and a sentence that replaces it.
//!
//! - [`schema`]: the input format, in one place.
//! - [`read`]: parses and checks the input.
//! - [`transform`]: the queries, as commands of the catalog. They come from
//!   [`EnrichmentQuery`](reference::EnrichmentQuery) alone, so none of them is an action.
//! - [`sentences`]: the sentences.

pub(super) mod read;
pub(super) mod reference;
pub(super) mod schema;
pub(super) mod sentences;
#[cfg(test)]
mod tests;
pub(super) mod transform;
