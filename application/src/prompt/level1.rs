//! Level 1: who the model is, how a conversation works, how to answer, what it may do.

use entracte_domain::session::{Dialect, Rules, SessionKind};

use super::Chunk;
use crate::commands::CommandSpec;

/// What level 1 is written from.
#[derive(Clone, Copy, Debug)]
pub struct PromptFacts<'a> {
    /// Kind of the session.
    pub kind: SessionKind,
    /// How commands are encoded.
    pub dialect: Dialect,
    /// The rules in force.
    pub rules: &'a Rules,
    /// The commands that the session may ask for, in the order they are shown.
    pub catalog: &'a [CommandSpec],
    /// Name of the workspace.
    pub workspace: &'a str,
    /// Name of its time zone.
    pub zone: &'a str,
}

/// Level 1 as one text. The same facts give the same bytes.
pub fn level1(facts: &PromptFacts<'_>) -> String {
    chunks(facts).iter().map(|chunk| chunk.text.as_str()).collect::<Vec<_>>().join("\n\n")
}

/// Level 1 in its parts, in order.
pub fn chunks(facts: &PromptFacts<'_>) -> Vec<Chunk> {
    let _ = facts;
    Vec::new()
}
