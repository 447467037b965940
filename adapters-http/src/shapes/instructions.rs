//! Shapes of instructions that models read first.

use std::borrow::Cow;

use entracte_application::instructions::{InstructionScope, InstructionVersion};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::iso;

/// A version of the instructions of a workspace, of the runs of an automation, or of a session.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct InstructionsShape {
    /// `workspace`, `automation` or `session`.
    pub scope: Cow<'static, str>,
    /// The automation or the session; null for the workspace itself.
    pub id: Option<String>,
    /// Counts the versions; 0 where nobody gave any yet.
    pub version: u64,
    /// What a model reads; empty where there are none.
    pub text: String,
    /// SHA-256 of the text, hex.
    pub digest: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// Where it came from: `written`, `file:` with its name, `copy:` with the session it came with.
    pub source: Option<String>,
    /// When.
    pub at: Option<String>,
}

impl InstructionsShape {
    /// The shape of a scope's latest version, if there is one.
    pub fn new(scope: &InstructionScope, found: Option<&InstructionVersion>) -> Self {
        Self {
            scope: scope.kind().into(),
            id: Some(scope.target().to_owned()).filter(|id| !id.is_empty()),
            version: found.map_or(0, |found| found.version),
            text: found.map(|found| found.text.clone()).unwrap_or_default(),
            digest: found.map(|found| found.digest.as_str().to_owned()),
            author: found.map(|found| found.author.clone()),
            source: found.map(|found| found.source.text()),
            at: found.map(|found| iso(found.at)),
        }
    }
}

/// What is to be told from now on.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InstructionsEdit {
    /// What a model reads; empty clears them.
    pub text: String,
    /// The name of the file that the text was copied from; none: it was written.
    pub file: Option<String>,
}

impl InstructionsEdit {
    /// A shape without instructions.
    pub fn none() -> Self {
        Self { text: String::new(), file: None }
    }
}
