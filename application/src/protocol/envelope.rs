//! The `envelope` dialect: the model answers with one JSON object.
//!
//! Reading is strict about the object and lenient about what stands around it: a fence or a sentence before it
//! is put aside, an unknown field is a fault. All faults are named at once, so that one round mends them all.

use entracte_domain::message::AiMessage;
use entracte_domain::session::FormatFault;

use crate::commands::CommandSpec;

/// A reply, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What was said. With faults it holds the text before and the original only: nothing of it may be run.
    pub message: AiMessage,
    /// What was wrong; empty when the reply could be read.
    pub faults: Vec<FormatFault>,
    /// Text that stood around the object; shown to the user only.
    pub stray: Option<String>,
}

/// Reads a reply. Takes any text, in time that grows with its length only.
pub fn read(text: &str) -> Reading {
    let message = AiMessage { original: text.to_owned(), ..AiMessage::default() };
    Reading { message, faults: Vec::new(), stray: None }
}

/// The JSON Schema of the object.
pub fn schema() -> serde_json::Value {
    serde_json::Value::Null
}

/// The JSON Schema of the object where only these commands may be asked for, each with its own arguments.
pub fn schema_for(catalog: &[CommandSpec]) -> serde_json::Value {
    let _ = catalog;
    serde_json::Value::Null
}
