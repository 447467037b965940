//! Changes of a session's rules, catalog, flags, model or data.

use crate::id::Digest;
use crate::plan::PlanMode;
use crate::restriction::Restriction;
use crate::session::{AlwaysSendSection, ApprovalRecheck, ModelSelection};
use crate::validation::PromptAuthors;

/// The changes of a session's rules, catalog, flags, model or data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RulesChange {
    /// Notice about the change for the model.
    pub notice: Option<String>,
    /// Approval needs of calls that have not started, looked up again.
    pub rechecks: Vec<ApprovalRecheck>,
    /// Hash of the new frozen prefix, if a generation begins with it.
    pub prefix: Option<Digest>,
    /// The always-sent data in prefix and notice together, if it changed.
    pub told: Option<Vec<AlwaysSendSection>>,
    /// Whether every action needs approval from now on, if changed.
    pub require_validation: Option<bool>,
    /// Plan mode from now on, if changed.
    pub mode: Option<PlanMode>,
    /// Permitted commands from now on, if changed.
    pub restriction: Option<Restriction>,
    /// Model from now on, if changed; a new prefix comes with it.
    pub voice: Option<ModelSelection>,
    /// New name for people, if changed.
    pub name: Option<SessionRename>,
    /// Authors whose words the model reads from now on, beside the earlier ones; the first time also the earlier ones.
    pub prompt_authors: Option<PromptAuthors>,
}

/// A renaming of a session by a person.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionRename {
    /// The person who renamed it.
    pub author: String,
    /// The new name.
    pub name: String,
}

impl RulesChange {
    /// Whether the change is empty.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether only the name changes, which does not affect the session's work.
    pub fn only_renames(&self) -> bool {
        self.name.is_some() && Self { name: None, ..self.clone() }.is_empty()
    }
}
