//! The instructions in memory, as committed.

use std::collections::BTreeMap;

use entracte_domain::id::{AutomationId, SessionId};

use crate::instructions::{InstructionScope, InstructionVersion};

/// The latest version of each scope read so far; `None` if the scope has no instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct InstructionsCache(BTreeMap<InstructionScope, Option<InstructionVersion>>);

impl InstructionsCache {
    /// Whether the scope was read.
    pub(super) fn has(&self, scope: &InstructionScope) -> bool {
        self.0.contains_key(scope)
    }

    /// The latest version of a scope, if it was read and has one.
    pub(super) fn latest(&self, scope: &InstructionScope) -> Option<&InstructionVersion> {
        self.0.get(scope).and_then(Option::as_ref)
    }

    /// Stores the version read for a scope.
    pub(super) fn put(&mut self, scope: InstructionScope, found: Option<InstructionVersion>) {
        self.0.insert(scope, found);
    }

    /// Adds what a turn read.
    pub(super) fn take_over(&mut self, others: InstructionsCache) {
        self.0.extend(others.0);
    }

    /// Forgets all scopes.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn forget_automation(&mut self, automation: &AutomationId) {
        self.0.remove(&InstructionScope::Automation(automation.clone()));
    }

    pub(super) fn forget_session(&mut self, session: &SessionId) {
        self.0.remove(&InstructionScope::Session(session.clone()));
    }

    /// Forgets the sessions that are not in memory.
    pub(super) fn keep_sessions(&mut self, is_in_memory: impl Fn(&SessionId) -> bool) {
        self.0.retain(|scope, _| match scope {
            InstructionScope::Session(session) => is_in_memory(session),
            InstructionScope::Workspace | InstructionScope::Automation(_) => true,
        });
    }
}
