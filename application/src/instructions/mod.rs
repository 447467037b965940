//! Instructions that people give to every model of a workspace, of an automation's runs, or of one session: its
//! identity, aims and tone. They are versioned, and only people write them.

mod normalize;
#[cfg(test)]
mod tests;

use entracte_domain::id::{AutomationId, Digest, SessionId};
use entracte_domain::session::{SessionFacts, SessionKind};
use entracte_domain::time::Timestamp;

pub use normalize::{InstructionTextError, normalize_instruction_text};

/// The scope in which instructions apply. The order is the reading order: later scopes are narrower and take
/// precedence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstructionScope {
    /// Every session of the workspace.
    Workspace,
    /// The runs of an automation.
    Automation(AutomationId),
    /// One session.
    Session(SessionId),
}

impl InstructionScope {
    /// The word for the scope: `workspace`, `automation` or `session`.
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

    /// The scope of that kind; `None` for an unknown kind.
    pub fn from_kind_and_target(kind: &str, target: &str) -> Option<Self> {
        match kind {
            "workspace" => Some(InstructionScope::Workspace),
            "automation" => Some(InstructionScope::Automation(AutomationId::new(target))),
            "session" => Some(InstructionScope::Session(SessionId::new(target))),
            _ => None,
        }
    }

    /// Its name in lists of changed objects: `workspace`, or the id of the automation or the session.
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
            // An agent's declaration replaces the instructions of an automation or a session.
            SessionKind::Agent => vec![InstructionScope::Workspace],
            SessionKind::Automation => {
                let mut scopes = Self::scopes_of_run(facts.automation.as_deref());
                scopes.push(own());
                scopes
            }
            // No model reads a template.
            SessionKind::Seed => Vec::new(),
        }
    }

    /// The scopes of a future run of that automation.
    pub fn scopes_of_run(automation: Option<&str>) -> Vec<Self> {
        let automation = automation.map(|id| InstructionScope::Automation(AutomationId::new(id)));
        std::iter::once(InstructionScope::Workspace).chain(automation).collect()
    }
}

/// The source of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstructionSource {
    /// A person entered it directly.
    Written,
    /// It was copied from a file of this name, which may have changed since.
    File(String),
    /// It was copied from this session with the session itself.
    Copy(SessionId),
}

impl InstructionSource {
    /// The stored and shown form: `written`, `file:persona.md`, `copy:ses_…`.
    pub fn text(&self) -> String {
        match self {
            InstructionSource::Written => "written".to_owned(),
            InstructionSource::File(name) => format!("file:{name}"),
            InstructionSource::Copy(session) => format!("copy:{session}"),
        }
    }

    /// Parses that form; `None` if it is unknown.
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
    /// The scope in which they apply.
    #[cfg_attr(feature = "rows-serde", serde(with = "crate::ports::serde_rows"))]
    pub scope: InstructionScope,
    /// The version number within the scope, from 1.
    pub version: u64,
    /// The text for the model; empty if they were cleared.
    pub text: String,
    /// SHA-256 of the text, hex.
    #[cfg_attr(feature = "rows-serde", serde(with = "crate::ports::serde_rows"))]
    pub digest: Digest,
    /// The person who wrote it.
    pub author: String,
    /// The source of the text.
    #[cfg_attr(feature = "rows-serde", serde(with = "crate::ports::serde_rows"))]
    pub source: InstructionSource,
    /// When it was written.
    #[cfg_attr(feature = "rows-serde", serde(with = "crate::ports::serde_rows"))]
    pub at: Timestamp,
}

impl InstructionVersion {
    /// Whether the instructions were cleared.
    pub fn is_cleared(&self) -> bool {
        self.text.is_empty()
    }
}
