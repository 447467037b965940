//! The two ways in which commands are encoded for a model: one JSON object of ours ([`envelope`]), or the
//! provider's native tool calls ([`tools`]).

pub mod envelope;
pub mod tools;
