//! Which model speaks in a session, and what it was told before the conversation.

use crate::id::Digest;

crate::words! {
    /// How commands are encoded for the model.
    pub enum Dialect {
        /// One JSON object of ours.
        Envelope = "envelope",
        /// The provider's native tool calls.
        Tools = "tools",
    }
}

/// Which model speaks in a session, and how commands are encoded for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelSelection {
    /// Name of the provider.
    pub provider: String,
    /// Name of the model.
    pub model: String,
    /// How commands are encoded.
    pub dialect: Dialect,
}

/// A section of the data that is always sent, as it was told last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AlwaysSendSection {
    /// The section: a tool's id, or the name of a state.
    pub section: String,
    /// Hash of its text.
    pub digest: Digest,
}
