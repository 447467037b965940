//! Instructions: what people tell every model of a workspace, of the runs of an automation, or of one session. Who it is,
//! what it aims at, how it speaks. Versions of it are kept, and nobody but a person writes one.

mod normalize;
#[cfg(test)]
mod tests;

use entracte_domain::id::{AutomationId, Digest, SessionId};
use entracte_domain::session::{SessionFacts, SessionKind};
use entracte_domain::time::Timestamp;

pub use normalize::{InstructionTextError, normalize_instruction_text};

/// Where instructions hold. The order is the one in which a model reads them: what is said later is about less, and counts
/// where two differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstructionScope {
    /// In every session of the workspace.
    Workspace,
    /// In the runs of an automation.
    Automation(AutomationId),
    /// In one session.
    Session(SessionId),
}

impl InstructionScope {
    /// What it is: `workspace`, `automation` or `session`.
    pub const fn kind(&self) -> &'static str {
        match self {
            InstructionScope::Workspace => "workspace",
            InstructionScope::Automation(_) => "automation",
            InstructionScope::Session(_) => "session",
        }
    }

    /// The id of the automation or the session; empty for the workspace itself.
    pub fn target(&self) -> &str {
        match self {
            InstructionScope::Workspace => "",
            InstructionScope::Automation(id) => id.as_str(),
            InstructionScope::Session(id) => id.as_str(),
        }
    }

    /// The scope of that kind; none when there is no such kind.
    pub fn from_kind_and_target(kind: &str, target: &str) -> Option<Self> {
        match kind {
            "workspace" => Some(InstructionScope::Workspace),
            "automation" => Some(InstructionScope::Automation(AutomationId::new(target))),
            "session" => Some(InstructionScope::Session(SessionId::new(target))),
            _ => None,
        }
    }

    /// Its name among all that a workspace changes: `workspace`, else the id of the automation or the session.
    pub fn name(&self) -> &str {
        match self {
            InstructionScope::Workspace => self.kind(),
            InstructionScope::Automation(_) | InstructionScope::Session(_) => self.target(),
        }
    }

    /// The scopes whose instructions a session reads, in order.
    pub fn scopes_of_session(facts: &SessionFacts) -> Vec<Self> {
        let own = || InstructionScope::Session(facts.id.clone());
        match facts.kind {
            SessionKind::Chat => vec![InstructionScope::Workspace, own()],
            // What it is told stands in its declaration, in place of what an automation or a session says.
            SessionKind::Agent => vec![InstructionScope::Workspace],
            SessionKind::Automation => {
                let mut scopes = Self::scopes_of_run(facts.automation.as_deref());
                scopes.push(own());
                scopes
            }
            // A template is never read by a model.
            SessionKind::Seed => Vec::new(),
        }
    }

    /// The scopes of a run of that automation that is not made yet.
    pub fn scopes_of_run(automation: Option<&str>) -> Vec<Self> {
        let automation = automation.map(|id| InstructionScope::Automation(AutomationId::new(id)));
        std::iter::once(InstructionScope::Workspace).chain(automation).collect()
    }
}

/// Where a version came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstructionSource {
    /// Somebody wrote it where instructions are written.
    Written,
    /// It was copied from a file of this name, which may have changed since.
    File(String),
    /// It came with the session that this one is a copy of.
    Copy(SessionId),
}

impl InstructionSource {
    /// As it is stored and shown: `written`, `file:persona.md`, `copy:ses_…`.
    pub fn text(&self) -> String {
        match self {
            InstructionSource::Written => "written".to_owned(),
            InstructionSource::File(name) => format!("file:{name}"),
            InstructionSource::Copy(session) => format!("copy:{session}"),
        }
    }

    /// What such a text says; none when it says nothing that is known.
    pub fn read(text: &str) -> Option<Self> {
        match text.split_once(':') {
            Some(("file", name)) => Some(InstructionSource::File(name.to_owned())),
            Some(("copy", session)) => Some(InstructionSource::Copy(SessionId::new(session))),
            Some(_) => None,
            None => (text == "written").then_some(InstructionSource::Written),
        }
    }
}

/// One version of the instructions of a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct InstructionVersion {
    /// Where they hold.
    #[cfg_attr(feature = "rows-serde", serde(with = "crate::ports::serde_rows"))]
    pub scope: InstructionScope,
    /// Counts the versions of the scope, from 1.
    pub version: u64,
    /// What a model reads; empty when they were cleared.
    pub text: String,
    /// SHA-256 of the text, hex.
    #[cfg_attr(feature = "rows-serde", serde(with = "crate::ports::serde_rows"))]
    pub digest: Digest,
    /// The person who wrote it.
    pub author: String,
    /// Where it came from.
    #[cfg_attr(feature = "rows-serde", serde(with = "crate::ports::serde_rows"))]
    pub source: InstructionSource,
    /// When it was written.
    #[cfg_attr(feature = "rows-serde", serde(with = "crate::ports::serde_rows"))]
    pub at: Timestamp,
}

impl InstructionVersion {
    /// Whether they were cleared.
    pub fn is_cleared(&self) -> bool {
        self.text.is_empty()
    }
}
