//! The two ways in which commands are encoded for a model: one JSON object of ours ([`envelope`]), or the
//! provider's native tool calls ([`tools`]). [`relay`] is how an AI outside asks through a session of its own.

pub mod envelope;
pub mod relay;
pub mod tools;
