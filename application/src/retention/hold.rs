use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::session::SessionFacts;
use entracte_domain::time::Timestamp;

use crate::instructions::InstructionScope;

/// A person's order to keep everything of a workspace, of an automation's runs or of one session, whatever the policy
/// says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetentionHold {
    /// What is held.
    pub scope: InstructionScope,
    /// The person who holds it.
    pub author: String,
    /// Why it is held.
    pub reason: String,
    /// Since when it is held.
    pub at: Timestamp,
}

impl RetentionHold {
    /// Whether it keeps a session. A hold on a session keeps its agents and the sessions above it, because they go
    /// together.
    pub fn keeps(&self, facts: &SessionFacts) -> bool {
        match &self.scope {
            InstructionScope::Workspace => true,
            InstructionScope::Automation(id) => facts.automation.as_deref() == Some(id.as_str()),
            InstructionScope::Session(id) => are_related(id, &facts.id),
        }
    }

    /// Whether it keeps an automation, whose seed goes with it.
    pub fn keeps_automation(&self, automation: &AutomationId, seed: &SessionId) -> bool {
        match &self.scope {
            InstructionScope::Workspace => true,
            InstructionScope::Automation(id) => id == automation,
            InstructionScope::Session(id) => id == seed,
        }
    }
}

fn are_related(one: &SessionId, other: &SessionId) -> bool {
    one.is_in_tree_of(other) || other.is_in_tree_of(one)
}
