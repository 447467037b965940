//! The current instructions, with the changes of this turn.

use crate::instructions::{InstructionScope, InstructionTextError, InstructionVersion};
use crate::mail::MailRefusal;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::questions::InstructionsQuestion;
use crate::texts::saying;

/// The latest version of the instructions of these scopes, in scope order. A scope without any is left out.
pub(crate) fn read_instructions(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    scopes: &[InstructionScope],
) -> Result<Vec<InstructionVersion>, TurnStop> {
    let is_unread = |scope: &&InstructionScope| {
        !turn.memory.instructions.has(scope) && !draft.aside.instructions.has(scope)
    };
    let unread: Vec<InstructionScope> = scopes.iter().filter(is_unread).cloned().collect();
    if !unread.is_empty() {
        let read = turn.ask(InstructionsQuestion(unread.clone()))?;
        for scope in unread {
            let found = read.iter().find(|instructions| instructions.scope == scope).cloned();
            draft.aside.instructions.put(scope, found);
        }
    }
    let latest = |scope: &InstructionScope| {
        let drafted = draft.instructions.iter().rev().find(|instructions| instructions.scope == *scope);
        let read =
            || draft.aside.instructions.latest(scope).or_else(|| turn.memory.instructions.latest(scope));
        drafted.or_else(read).cloned()
    };
    Ok(scopes.iter().filter_map(latest).collect())
}

/// The latest version of one scope.
pub(crate) fn read_instructions_of(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    scope: &InstructionScope,
) -> Result<Option<InstructionVersion>, TurnStop> {
    Ok(read_instructions(turn, draft, std::slice::from_ref(scope))?.pop())
}

/// The refusal of a text that instructions cannot have.
pub(crate) fn instruction_refusal(misfit: InstructionTextError) -> MailRefusal {
    MailRefusal::Invalid(match misfit {
        InstructionTextError::Empty => saying!("request-instructions-empty"),
        InstructionTextError::TooLong { bytes, most } => {
            saying!("request-instructions-long", bytes = bytes, most = most)
        }
        InstructionTextError::Control { line, found } => {
            let found = format!("U+{:04X}", u32::from(found));
            saying!("request-instructions-control", line = line, found = found)
        }
    })
}
