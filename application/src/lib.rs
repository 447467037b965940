//! Ports, use cases, codec and runtime of Entracte.
pub mod codec;
pub mod commands;
pub mod json;
#[cfg(test)]
mod kit;
pub mod ports;
pub mod prompt;
pub mod protocol;
pub mod runtime;
pub mod settings;
pub mod system;
pub mod use_cases;
