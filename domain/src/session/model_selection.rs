//! The model of a session, and the always-sent data in its prompt.

use crate::id::Digest;

crate::words! {
    /// How commands are encoded for the model.
    pub enum Dialect {
        /// One JSON object defined by Entracte.
        Envelope = "envelope",
        /// The provider's native tool calls.
        Tools = "tools",
    }
}

/// The model of a session, and the encoding of commands for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelSelection {
    /// Name of the provider.
    pub provider: String,
    /// Name of the model.
    pub model: String,
    /// How commands are encoded for the model.
    pub dialect: Dialect,
}

/// A section of always-sent data, as the model last read it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AlwaysSendSection {
    /// A tool's id, or the name of a state.
    pub section: String,
    /// Hash of the section's text.
    pub digest: Digest,
}
