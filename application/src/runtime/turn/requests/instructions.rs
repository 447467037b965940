//! Instructions: a person writes a version, or clears what stands. Sessions begin a generation with it at their next user
//! turn, as with everything else that a prefix holds.

use entracte_domain::id::SessionId;

use super::automation::no_automation;
use super::{is_seed, refused, texts};
use crate::instructions::{Instructions, Misfit, Scope, Source, fit};
use crate::mail::MailAnswer;
use crate::runtime::draft::Draft;
use crate::runtime::prefixes::Audience;
use crate::runtime::schedule::Kept;
use crate::runtime::turn::{Stop, Turn};
use crate::system::sha256;
use crate::texts::{Texts, say};

/// What is to be told from now on.
pub(super) struct Telling<'a> {
    pub(super) author: &'a str,
    pub(super) scope: &'a Scope,
    pub(super) text: Option<&'a str>,
    pub(super) source: &'a Source,
    pub(super) expected: Option<u64>,
}

impl Turn<'_> {
    /// Writes the next version; a text that is the present one already makes none. The answer names the version that stands
    /// now.
    pub(super) fn set_instructions(
        &self,
        draft: &mut Draft,
        telling: &Telling<'_>,
    ) -> Result<MailAnswer, Stop> {
        let Telling { author, scope, text, source, expected } = *telling;
        if let Some(refusal) = self.scope_fault(draft, scope)? {
            return Ok(refusal);
        }
        let before = self.instructions_of(draft, scope)?;
        let version = before.as_ref().map_or(0, |before| before.version);
        if let Some(expected) = expected.filter(|expected| *expected != version) {
            let text = say!(
                texts(draft),
                "request-instructions-changed",
                expected = expected.to_string(),
                version = version.to_string()
            );
            return Ok(refused("conflict", &text));
        }
        let text = match text.map(|text| fit(text, self.memory.runtime.instruction_bytes)).transpose() {
            Ok(text) => text.unwrap_or_default(),
            Err(misfit) => return Ok(refused("invalid", &misfit_text(texts(draft), misfit))),
        };
        if before.map(|before| before.text).unwrap_or_default() == text {
            return Ok(MailAnswer::Made { id: version.to_string() });
        }
        let version = version.saturating_add(1);
        let written = Instructions {
            scope: scope.clone(),
            version,
            digest: sha256(text.as_bytes()),
            text,
            author: author.to_owned(),
            source: source.clone(),
            at: draft.now,
        };
        if let Some(refusal) = self.too_much_told(draft, &written)? {
            return Ok(refusal);
        }
        tracing::info!(workspace = %self.memory.key, author, scope = scope.name(), version, "instructions were changed");
        draft.instructions.push(written);
        // The workspace's row is made by this commit where there is none yet.
        draft.is_body_changed |= draft.expected_seq.is_none();
        Ok(MailAnswer::Made { id: version.to_string() })
    }

    /// Why a version leaves too little of the budget in a session that would read it. One that says less than before is
    /// taken in any case: it helps.
    fn too_much_told(&self, draft: &mut Draft, written: &Instructions) -> Result<Option<MailAnswer>, Stop> {
        let before = self.instructions_of(draft, &written.scope)?.map_or(0, |before| before.text.len());
        if written.text.len() <= before {
            return Ok(None);
        }
        let readers = self.readers(draft, &written.scope)?;
        // They are measured as if it stood already.
        draft.instructions.push(written.clone());
        let checked = readers.iter().find_map(|reader| self.overweight(draft, reader).transpose());
        draft.instructions.pop();
        checked.transpose()
    }

    /// Whom instructions of a scope are for.
    fn readers(&self, draft: &mut Draft, scope: &Scope) -> Result<Vec<Audience>, Stop> {
        let of_session = |draft: &Draft, id: &SessionId| {
            draft.sessions.get(id).map(|drafted| Audience::of(&drafted.facts).of_runs())
        };
        Ok(match scope {
            Scope::Workspace => {
                let readers = self.audiences()?.iter().cloned().map(Audience::of_runs);
                readers.map(|reader| Audience { scopes: vec![Scope::Workspace], ..reader }).collect()
            }
            Scope::Automation(id) => {
                let Some(Kept { automation, .. }) = self.automation_of(draft, id) else {
                    return Ok(Vec::new());
                };
                if !self.draft_session(draft, &automation.seed)? {
                    return Ok(Vec::new());
                }
                let (scopes, policy) = (Scope::of_run(Some(id.as_str())), automation.policies.run);
                let reader = of_session(draft, &automation.seed);
                reader.map(|reader| Audience { scopes, policy, ..reader }).into_iter().collect()
            }
            Scope::Session(id) => of_session(draft, id).into_iter().collect(),
        })
    }

    /// The instructions of a copied session go with it, as its first version.
    pub(super) fn copy_instructions(
        &self,
        draft: &mut Draft,
        (from, to): (&SessionId, &SessionId),
        (text, author): (&str, &str),
    ) -> Result<(), MailAnswer> {
        let text = fit(text, self.memory.runtime.instruction_bytes)
            .map_err(|misfit| refused("invalid", &misfit_text(texts(draft), misfit)))?;
        draft.instructions.push(Instructions {
            scope: Scope::Session(to.clone()),
            version: 1,
            digest: sha256(text.as_bytes()),
            text,
            author: author.to_owned(),
            source: Source::Copy(from.clone()),
            at: draft.now,
        });
        Ok(())
    }

    /// Why there is nothing that these instructions could be about.
    fn scope_fault(&self, draft: &mut Draft, scope: &Scope) -> Result<Option<MailAnswer>, Stop> {
        match scope {
            Scope::Workspace => Ok(None),
            Scope::Automation(id) => {
                let is_there = self.automation_of(draft, id).is_some();
                Ok((!is_there).then(|| no_automation(draft, id)))
            }
            Scope::Session(id) => {
                if !self.draft_session(draft, id)? {
                    let text = say!(texts(draft), "request-no-session", session = id.as_str());
                    return Ok(Some(refused("not_found", &text)));
                }
                let of_seed = || say!(texts(draft), "request-instructions-seed", session = id.as_str());
                Ok(is_seed(draft, id).then(|| refused("conflict", &of_seed())))
            }
        }
    }
}

fn misfit_text(texts: &Texts, misfit: Misfit) -> String {
    match misfit {
        Misfit::Empty => say!(texts, "request-instructions-empty"),
        Misfit::TooLong { bytes, most } => {
            say!(texts, "request-instructions-long", bytes = bytes, most = most)
        }
        Misfit::Control { line, found } => {
            let found = format!("U+{:04X}", u32::from(found));
            say!(texts, "request-instructions-control", line = line, found = found)
        }
    }
}
