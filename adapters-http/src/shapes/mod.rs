//! Shapes: the DTOs of the HTTP API. They are separate from stored types, so that storage may change while the API does
//! not: fields are added, none is renamed.

pub mod admin;
pub mod agent;
pub mod approved_plan;
pub mod automation;
pub mod automation_edit;
pub mod call;
pub mod card;
pub mod command;
pub mod command_outcome;
pub mod config_entry;
pub mod cost;
pub mod data;
#[cfg(feature = "resources")]
pub mod data_edit;
pub mod deletion;
pub mod document;
pub mod dry_run;
pub mod entry;
pub mod file;
pub mod found_id;
pub mod frame;
pub mod inbox_filter;
pub mod instructions;
pub mod link;
pub mod message;
pub mod prompt;
pub mod provider_setup;
pub mod retention;
pub mod rule;
pub mod rule_limits;
pub mod rule_width;
pub mod rule_words;
pub mod secret;
pub mod session;
mod tagged;
pub mod target;
pub mod task;
pub mod terminal_login;
pub mod text;
pub mod token;
pub mod tool_server;
pub mod triage;
pub mod turn;
pub mod verdict;
pub mod wire_words;
pub mod workspace;

pub use entracte_application::instant_text::iso;
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Deserializer};

/// Parses an instant; `None` if the text is not one.
pub fn instant(text: &str) -> Option<Timestamp> {
    text.parse::<jiff::Timestamp>().ok().map(|at| Timestamp(at.as_microsecond()))
}

/// Deserializes null as a given value, distinct from an omitted field.
fn deserialize_nullable<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    reader: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(reader).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_read_back() {
        let at = Timestamp(1_790_000_000_123_456);
        assert_eq!(instant(&iso(at)), Some(at));
        assert_eq!(iso(Timestamp(0)), "1970-01-01T00:00:00Z");
        assert_eq!(instant("tomorrow"), None);
    }
}
