//! Requests about instructions: a person writes a version, or clears the current one. Sessions begin a generation
//! with it at their next user turn, as with everything else in a prefix.

use entracte_domain::id::SessionId;

use super::is_seed;
use crate::instructions::{
    InstructionScope, InstructionSource, InstructionTextError, InstructionVersion, normalize_instruction_text,
};
use crate::mail::{MailAnswer, MailRefusal};
use crate::runtime::automation_schedule::ScheduledAutomation;
use crate::runtime::prefix_cache::PrefixAudience;
use crate::runtime::turn::{RequestNotApplied, TurnStop, WorkspaceTurn};
use crate::runtime::turn_draft::TurnDraft;
use crate::system::sha256;
use crate::texts::saying;

/// A request to write instructions.
pub(super) struct InstructionsWriteRequest<'a> {
    pub(super) author: &'a str,
    pub(super) scope: &'a InstructionScope,
    pub(super) text: Option<&'a str>,
    pub(super) source: &'a InstructionSource,
    pub(super) expected: Option<u64>,
}

impl WorkspaceTurn<'_> {
    /// Writes the next version; a text equal to the current one creates none. The answer names the current version.
    pub(super) fn set_instructions(
        &self,
        draft: &mut TurnDraft,
        telling: &InstructionsWriteRequest<'_>,
    ) -> Result<MailAnswer, RequestNotApplied> {
        let InstructionsWriteRequest { author, scope, text, source, expected } = *telling;
        self.check_scope(draft, scope)?;
        let before = self.instructions_of(draft, scope)?;
        let version = before.as_ref().map_or(0, |before| before.version);
        if let Some(expected) = expected.filter(|expected| *expected != version) {
            let (expected, version) = (expected.to_string(), version.to_string());
            let changed = saying!("request-instructions-changed", expected = expected, version = version);
            return Err(MailRefusal::Conflict(changed).into());
        }
        let fitted = text
            .map(|text| normalize_instruction_text(text, self.memory.runtime.instruction_bytes))
            .transpose();
        let text = fitted.map_err(refusal_of)?.unwrap_or_default();
        if before.map(|before| before.text).unwrap_or_default() == text {
            return Ok(MailAnswer::Made { id: version.to_string() });
        }
        let version = version.saturating_add(1);
        let written = InstructionVersion {
            scope: scope.clone(),
            version,
            digest: sha256(text.as_bytes()),
            text,
            author: author.to_owned(),
            source: source.clone(),
            at: draft.now,
        };
        self.check_telling(draft, &written)?;
        tracing::info!(workspace = %self.memory.key, author, scope = scope.name(), version, "instructions were changed");
        draft.instructions.push(written);
        // This commit creates the row of a new workspace.
        draft.is_body_changed |= draft.expected_seq.is_none();
        Ok(MailAnswer::Made { id: version.to_string() })
    }

    /// Refuses a version that leaves too little of the budget in a session that would read it. A shorter version than
    /// before is always accepted: it helps.
    fn check_telling(
        &self,
        draft: &mut TurnDraft,
        written: &InstructionVersion,
    ) -> Result<(), RequestNotApplied> {
        let before = self.instructions_of(draft, &written.scope)?.map_or(0, |before| before.text.len());
        if written.text.len() <= before {
            return Ok(());
        }
        let readers = self.readers(draft, &written.scope)?;
        // They are measured as if the version were already in force.
        draft.instructions.push(written.clone());
        let checked = readers.iter().try_for_each(|reader| self.check_weight(draft, reader));
        draft.instructions.pop();
        checked
    }

    /// The audiences that read instructions of a scope.
    fn readers(
        &self,
        draft: &mut TurnDraft,
        scope: &InstructionScope,
    ) -> Result<Vec<PrefixAudience>, TurnStop> {
        let of_session = |draft: &TurnDraft, id: &SessionId| {
            draft
                .sessions
                .get(id)
                .map(|drafted| PrefixAudience::of_session(&drafted.facts).into_run_audience())
        };
        Ok(match scope {
            InstructionScope::Workspace => {
                let readers = self.audiences()?.iter().cloned().map(PrefixAudience::into_run_audience);
                readers
                    .map(|reader| PrefixAudience { scopes: vec![InstructionScope::Workspace], ..reader })
                    .collect()
            }
            InstructionScope::Automation(id) => {
                let Some(ScheduledAutomation { automation, .. }) = self.automation_of(draft, id) else {
                    return Ok(Vec::new());
                };
                if !self.draft_session(draft, &automation.seed)? {
                    return Ok(Vec::new());
                }
                let (scopes, policy) =
                    (InstructionScope::scopes_of_run(Some(id.as_str())), automation.policies.run);
                let reader = of_session(draft, &automation.seed);
                reader.map(|reader| PrefixAudience { scopes, policy, ..reader }).into_iter().collect()
            }
            InstructionScope::Session(id) => of_session(draft, id).into_iter().collect(),
        })
    }

    /// Copies the instructions of a copied session, as the first version of the copy.
    pub(super) fn copy_instructions(
        &self,
        draft: &mut TurnDraft,
        from: &SessionId,
        to: &SessionId,
        text: &str,
        author: &str,
    ) -> Result<(), MailRefusal> {
        let text =
            normalize_instruction_text(text, self.memory.runtime.instruction_bytes).map_err(refusal_of)?;
        draft.instructions.push(InstructionVersion {
            scope: InstructionScope::Session(to.clone()),
            version: 1,
            digest: sha256(text.as_bytes()),
            text,
            author: author.to_owned(),
            source: InstructionSource::Copy(from.clone()),
            at: draft.now,
        });
        Ok(())
    }

    /// Refuses instructions for a scope that does not exist.
    fn check_scope(&self, draft: &mut TurnDraft, scope: &InstructionScope) -> Result<(), RequestNotApplied> {
        match scope {
            InstructionScope::Automation(id) if self.automation_of(draft, id).is_none() => {
                Err(MailRefusal::no_automation(id).into())
            }
            InstructionScope::Session(id) if !self.draft_session(draft, id)? => {
                Err(MailRefusal::no_session(id).into())
            }
            InstructionScope::Session(id) if is_seed(draft, id) => {
                let of_seed = saying!("request-instructions-seed", session = id.as_str());
                Err(MailRefusal::Conflict(of_seed).into())
            }
            InstructionScope::Workspace | InstructionScope::Automation(_) | InstructionScope::Session(_) => {
                Ok(())
            }
        }
    }
}

fn refusal_of(misfit: InstructionTextError) -> MailRefusal {
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
