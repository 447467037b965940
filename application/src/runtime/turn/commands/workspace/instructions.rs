//! Requests about instructions: a person writes a version, or clears the current one. Sessions begin a generation
//! with it at their next user turn, as with everything else in a prefix.

use entracte_domain::id::SessionId;

use crate::instructions::{InstructionScope, InstructionVersion, normalize_instruction_text};
use crate::mail::{MailAnswer, MailRefusal, SetInstructionsRequest};
use crate::runtime::automation_schedule::ScheduledAutomation;
use crate::runtime::prefix_cache::PrefixAudience;
use crate::runtime::turn::commands::{ApplyToWorkspace, WorkspaceDraftEdit};
use crate::runtime::turn::context::TurnStop;
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::prefix::instruction_refusal;
use crate::runtime::turn::questions::PrefixAudiencesQuestion;
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::runtime::turn::schedule::find_automation;
use crate::runtime::turn::session_kinds::is_seed;
use crate::system::sha256;
use crate::texts::saying;

impl ApplyToWorkspace for SetInstructionsRequest {
    /// Writes the next version; a text equal to the current one creates none. The answer names the current version.
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, scope, text, source, expected } = self;
        check_scope(edit, scope)?;
        let before = edit.read_instructions(std::slice::from_ref(scope))?.pop();
        let version = before.as_ref().map_or(0, |before| before.version);
        if let Some(expected) = expected.filter(|expected| *expected != version) {
            let (expected, version) = (expected.to_string(), version.to_string());
            let changed = saying!("request-instructions-changed", expected = expected, version = version);
            return Err(MailRefusal::Conflict(changed).into());
        }
        let most = edit.turn().memory.runtime.instruction_bytes;
        let fitted = text.as_deref().map(|text| normalize_instruction_text(text, most)).transpose();
        let text = fitted.map_err(instruction_refusal)?.unwrap_or_default();
        let before = before.map(|before| before.text).unwrap_or_default();
        if before == text {
            return Ok(MailAnswer::Made { id: version.to_string() });
        }
        let version = version.saturating_add(1);
        let written = InstructionVersion {
            scope: scope.clone(),
            version,
            digest: sha256(text.as_bytes()),
            text,
            author: author.clone(),
            source: source.clone(),
            at: edit.draft().now,
        };
        // A shorter version than before is always accepted: it helps.
        if written.text.len() > before.len() {
            let readers = list_readers(edit, scope)?;
            edit.check_prefix_sizes(&written, &readers)?;
        }
        let workspace = edit.turn().memory.key;
        tracing::info!(%workspace, author, scope = scope.name(), version, "instructions were changed");
        edit.append_instructions(written);
        edit.create_if_new();
        Ok(MailAnswer::Made { id: version.to_string() })
    }
}

/// The audiences that read instructions of a scope.
fn list_readers(
    edit: &mut WorkspaceDraftEdit<'_>,
    scope: &InstructionScope,
) -> Result<Vec<PrefixAudience>, TurnStop> {
    let of_session = |draft: &TurnDraft, id: &SessionId| {
        draft.sessions.get(id).map(|drafted| PrefixAudience::of_session(&drafted.facts).into_run_audience())
    };
    Ok(match scope {
        InstructionScope::Workspace => {
            let readers = edit
                .turn()
                .ask(PrefixAudiencesQuestion)?
                .iter()
                .cloned()
                .map(PrefixAudience::into_run_audience);
            readers
                .map(|reader| PrefixAudience { scopes: vec![InstructionScope::Workspace], ..reader })
                .collect()
        }
        InstructionScope::Automation(id) => {
            let Some(ScheduledAutomation { automation, .. }) = find_automation(edit.turn(), edit.draft(), id)
            else {
                return Ok(Vec::new());
            };
            if !edit.draft_session(&automation.seed)? {
                return Ok(Vec::new());
            }
            let (scopes, policy) =
                (InstructionScope::scopes_of_run(Some(id.as_str())), automation.policies.run);
            let reader = of_session(edit.draft(), &automation.seed);
            reader.map(|reader| PrefixAudience { scopes, policy, ..reader }).into_iter().collect()
        }
        InstructionScope::Session(id) => of_session(edit.draft(), id).into_iter().collect(),
    })
}

/// Refuses instructions for a scope that does not exist.
fn check_scope(edit: &mut WorkspaceDraftEdit<'_>, scope: &InstructionScope) -> Result<(), RequestNotApplied> {
    match scope {
        InstructionScope::Automation(id) if find_automation(edit.turn(), edit.draft(), id).is_none() => {
            Err(MailRefusal::no_automation(id).into())
        }
        InstructionScope::Session(id) if !edit.draft_session(id)? => Err(MailRefusal::no_session(id).into()),
        InstructionScope::Session(id) if is_seed(edit.draft(), id) => {
            let of_seed = saying!("request-instructions-seed", session = id.as_str());
            Err(MailRefusal::Conflict(of_seed).into())
        }
        InstructionScope::Workspace | InstructionScope::Automation(_) | InstructionScope::Session(_) => {
            Ok(())
        }
    }
}
