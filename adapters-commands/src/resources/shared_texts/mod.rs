//! Shared texts: versioned texts that a workspace gives to all its sessions (department, accounting, general). A
//! change is proposed, shown as a difference, and published with a person's approval. One file per command.

pub(super) mod delete;
mod difference;
pub(super) mod discard;
pub(super) mod get;
pub(super) mod list;
pub(super) mod propose;
pub(super) mod publish;
mod shared_text_rows;

use serde_json::{Value as Json, json};

/// Limits of shared texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedTextLimits {
    /// The most characters of one text.
    pub chars: u32,
    /// The number of published versions of one text that are retained, latest first.
    pub versions: u32,
    /// The most pending proposals of one text.
    pub proposals: u32,
}

impl Default for SharedTextLimits {
    fn default() -> Self {
        Self { chars: 60_000, versions: 100, proposals: 20 }
    }
}

/// The schema of a text's key.
fn key_schema() -> Json {
    let doc = "Key of the text: department, accounting, general, or another one.";
    json!({"type": "string", "pattern": KEY, "description": doc})
}

/// The schema of a proposal's id.
fn proposal_schema() -> Json {
    super::command::id_schema("Id of the proposal.")
}

/// The schema of a published version's number.
fn version_schema(doc: &str) -> Json {
    json!({"type": "integer", "minimum": 1, "maximum": u32::MAX, "description": doc})
}

/// A key is a plain word, so that it may be part of a URL.
const KEY: &str = "^[a-z0-9][a-z0-9._-]{0,63}$";
