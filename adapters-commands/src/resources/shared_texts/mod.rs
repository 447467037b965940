//! Shared texts: what a workspace tells all its sessions (department, accounting, general), with versions. A change is
//! proposed, seen as a difference, and published by a person's approval. One file per command.

pub(super) mod delete;
mod difference;
pub(super) mod discard;
pub(super) mod get;
pub(super) mod list;
pub(super) mod propose;
pub(super) mod publish;
mod shared_text_rows;

use serde_json::{Value as Json, json};

/// How much is kept of the shared texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedTextLimits {
    /// Characters of one text.
    pub chars: u32,
    /// Published versions of one text that are kept, the latest ones.
    pub versions: u32,
    /// Proposals of one text that wait at the same time.
    pub proposals: u32,
}

impl Default for SharedTextLimits {
    fn default() -> Self {
        Self { chars: 60_000, versions: 100, proposals: 20 }
    }
}

/// Schema of the key of a text.
fn key_schema() -> Json {
    let doc = "Key of the text: department, accounting, general, or another one.";
    json!({"type": "string", "pattern": KEY, "description": doc})
}

/// Schema of the id of a proposal.
fn proposal_schema() -> Json {
    super::zones::id_schema("Id of the proposal.")
}

/// Schema of a published version.
fn version_schema(doc: &str) -> Json {
    json!({"type": "integer", "minimum": 1, "maximum": u32::MAX, "description": doc})
}

/// A key is a plain word, so that it can stand in an address.
const KEY: &str = "^[a-z0-9][a-z0-9._-]{0,63}$";
