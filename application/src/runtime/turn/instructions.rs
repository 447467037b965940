//! The current instructions, with the changes of this turn.

use super::{FactRequest, TurnStop, WorkspaceTurn};
use crate::instructions::{InstructionScope, InstructionVersion};
use crate::runtime::turn_draft::TurnDraft;

impl WorkspaceTurn<'_> {
    /// The latest version of the instructions of these scopes, in scope order. A scope without any is left out.
    pub(super) fn instructions(
        &self,
        draft: &mut TurnDraft,
        scopes: &[InstructionScope],
    ) -> Result<Vec<InstructionVersion>, TurnStop> {
        let is_unread = |scope: &&InstructionScope| {
            !self.memory.instructions.has(scope) && !draft.aside.instructions.has(scope)
        };
        let unread: Vec<InstructionScope> = scopes.iter().filter(is_unread).cloned().collect();
        if !unread.is_empty() {
            let read =
                self.known.instructions.answer_or_request(unread.clone(), FactRequest::Instructions)?;
            for scope in unread {
                let found = read.iter().find(|instructions| instructions.scope == scope).cloned();
                draft.aside.instructions.put(scope, found);
            }
        }
        let latest = |scope: &InstructionScope| {
            let drafted = draft.instructions.iter().rev().find(|instructions| instructions.scope == *scope);
            let read =
                || draft.aside.instructions.latest(scope).or_else(|| self.memory.instructions.latest(scope));
            drafted.or_else(read).cloned()
        };
        Ok(scopes.iter().filter_map(latest).collect())
    }

    /// The latest version of one scope.
    pub(super) fn instructions_of(
        &self,
        draft: &mut TurnDraft,
        scope: &InstructionScope,
    ) -> Result<Option<InstructionVersion>, TurnStop> {
        Ok(self.instructions(draft, std::slice::from_ref(scope))?.pop())
    }
}
