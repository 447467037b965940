//! Copies of sessions: a fork branches off a session of the same database, an import comes from a file. The
//! entries are copied with what they recorded; nothing of them runs again.

use std::collections::HashMap;
use std::sync::Arc;

use entracte_domain::automation::RunPolicy;
use entracte_domain::call::CallStatus;
use entracte_domain::id::{CallId, Digest, SessionId};
use entracte_domain::session::{Input, Phase, SessionCopyOrigin, SessionFacts, SessionKind, SessionRules};

use super::session_id_renamer::SessionIdRenamer;
use super::settled_word;
use crate::codec::decode_rules;
use crate::instructions::InstructionScope;
use crate::journal::{JournalEntry, referenced_rules};
use crate::mail::{MailAnswer, MailRefusal};
use crate::prompt::{changed_voice, generation_prefix};
use crate::protocol::relay;
use crate::runtime::error::TurnError;
use crate::runtime::turn::{FactRequest, RequestNotApplied, TurnStop, WorkspaceTurn};
use crate::runtime::turn_draft::{SessionDraft, TurnDraft};
use crate::session_export::{SessionExport, VerifiedSessionExport};
use crate::texts::saying;

/// State of a copied call whose outcome a person settles in the original session.
const UNKNOWN_IN_ORIGINAL: &str = "unknown_in_original";

/// The parameters of a fork.
pub(super) struct SessionForkRequest<'a> {
    pub(super) author: &'a str,
    pub(super) id: &'a SessionId,
    pub(super) name: &'a str,
    pub(super) at: u64,
}

/// The source and target of a copy.
struct SessionCopyPlan<'a> {
    from: &'a SessionId,
    to: &'a SessionId,
    entries: Vec<JournalEntry>,
    rules: HashMap<Digest, SessionRules>,
    kind: SessionKind,
    how: SessionCopyOrigin,
    author: &'a str,
    /// The session's own instructions, if any.
    instructions: Option<String>,
}

impl WorkspaceTurn<'_> {
    /// Creates a session with the entries of another one up to a sequence.
    pub(super) fn fork(
        &self,
        draft: &mut TurnDraft,
        from: &SessionId,
        branch: &SessionForkRequest<'_>,
    ) -> Result<MailAnswer, RequestNotApplied> {
        if self.draft_session(draft, branch.id)? {
            return Ok(MailAnswer::accept_message(None, branch.id));
        }
        self.check_id(branch.id)?;
        let Some((kind, stored)) = draft.sessions.get(from).map(|from| (from.facts.kind, from.stored)) else {
            return Err(MailRefusal::no_session(from).into());
        };
        let stored = stored.unwrap_or_default();
        if branch.at == 0 || branch.at > stored {
            let (session, last, at) = (from.as_str(), stored.to_string(), branch.at.to_string());
            let unknown = saying!("request-no-sequence", session = session, last = last, at = at);
            return Err(MailRefusal::Invalid(unknown).into());
        }
        let mut entries = self.entries_up_to(from, branch.at)?.to_vec();
        if let Some(JournalEntry { input: Input::SessionCreated(creation), .. }) = entries.first_mut() {
            branch.name.clone_into(&mut creation.name);
        }
        self.keep_prefix(draft, from, &entries)?;
        let mut rules = HashMap::new();
        for digest in referenced_rules(&entries) {
            rules.insert(digest.clone(), self.stored_rules(from, digest)?);
        }
        let (to, author, how) = (branch.id, branch.author, SessionCopyOrigin::Fork);
        let told = self.instructions_of(draft, &InstructionScope::Session(from.clone()))?;
        let instructions = told.filter(|told| !told.is_cleared()).map(|told| told.text);
        self.copy(draft, SessionCopyPlan { from, to, entries, rules, kind, how, author, instructions })
    }

    /// Loads the prefix that a fork continues with: its own row comes with this commit, and until then the prefix is
    /// reached through the original session.
    fn keep_prefix(
        &self,
        draft: &mut TurnDraft,
        from: &SessionId,
        entries: &[JournalEntry],
    ) -> Result<(), TurnStop> {
        let Some(digest) = entries.iter().rev().find_map(generation_prefix) else { return Ok(()) };
        match self.prefix(draft, from, digest) {
            // An unreadable prefix is replaced where it is needed.
            Ok(_) | Err(TurnStop::Fault(TurnError::Damaged(_))) => Ok(()),
            Err(stop) => Err(stop),
        }
    }

    /// Creates a session from a file, after its replay gave the state that the file names.
    pub(super) fn import(
        &self,
        draft: &mut TurnDraft,
        author: &str,
        id: &SessionId,
        document: &str,
    ) -> Result<MailAnswer, RequestNotApplied> {
        let checked = SessionExport::decode(document)
            .and_then(|document| document.verify().map(|whole| (document, whole)))
            .map_err(|why| MailRefusal::Invalid(saying!("request-not-imported", why = why.to_string())));
        let (document, VerifiedSessionExport { entries, rules, kind, needed }) = checked?;
        if self.draft_session(draft, id)? {
            return Err(MailRefusal::session_exists(id).into());
        }
        // The copy gets another id if this one is reserved: a session of another workspace has it, the call of an agent
        // or of an external caller may still get it, or a rule has counted calls of a session that had it.
        let is_kept_free =
            id.is_agent_session() || has_manual_calls(&entries) || has_rule_counted_calls(draft, id);
        let is_kept_free = is_kept_free || self.is_session_id_taken(id)?;
        let own_id = if is_kept_free { self.new_session(draft)? } else { id.clone() };
        let id = &own_id;
        if *self.known.made_data.answer_or_request(id.clone(), FactRequest::MadeData)? {
            let left = saying!("request-session-left-data", session = id.as_str());
            return Err(MailRefusal::Conflict(left).into());
        }
        let is_needed = |digest: &Digest| needed.contains(digest);
        draft.blobs.extend(document.blobs.into_iter().filter(|blob| is_needed(&blob.digest)));
        let (from, how, instructions) = (&document.session, SessionCopyOrigin::Import, document.instructions);
        self.copy(draft, SessionCopyPlan { from, to: id, entries, rules, kind, how, author, instructions })
    }

    fn copy(
        &self,
        draft: &mut TurnDraft,
        copy: SessionCopyPlan<'_>,
    ) -> Result<MailAnswer, RequestNotApplied> {
        let SessionCopyPlan { from, to, entries, rules, kind, how, author, instructions } = copy;
        let (Some(first), Some(at)) = (entries.first(), entries.last().map(|entry| entry.sequence)) else {
            return Err(MailRefusal::Invalid(saying!("request-nothing-to-copy")).into());
        };
        if let Some(text) = &instructions {
            self.copy_instructions(draft, from, to, text, author)?;
        }
        let facts = SessionFacts::new(to.clone(), self.memory.key.clone(), kind, first.at);
        draft
            .sessions
            .insert(to.clone(), SessionDraft { facts: Arc::new(facts), phase: Phase::Idle, stored: None });
        let renaming = SessionIdRenamer::new(from, to);
        let mut settled = HashMap::new();
        for mut entry in entries {
            entry.session = to.clone();
            renaming.input(&mut entry.input);
            entry.appended.iter_mut().for_each(|appended| renaming.appended(appended));
            if let Input::CallSettled { call, happened, .. } = &entry.input {
                settled.insert(call.clone(), *happened);
            }
            let Some(rules) = rules.get(&entry.rules) else {
                let rules = entry.rules.to_string();
                let why = saying!("turn-copied-rules-missing", rules = rules, session = from.as_str());
                return Err(TurnError::Damaged(why).into());
            };
            draft.copy_entry(entry, rules)?;
        }
        // The rights of a copy come from the workspace it is in; if the original was stricter, the copy stays so.
        let own = draft.sessions.get(to).map(|drafted| drafted.facts.policy).unwrap_or_default();
        let policy = Some(own.for_copy_in(self.memory.rules.rules_for_run(kind, RunPolicy::default())));
        let input = Input::SessionCopied {
            from: from.clone(),
            at,
            how,
            author: author.to_owned(),
            policy,
            counts_authors: true,
        };
        self.apply_input(draft, to, input)?;
        close_unknown(draft, to, &settled);
        Ok(MailAnswer::accept_message(None, to))
    }

    fn stored_rules(&self, session: &SessionId, digest: &Digest) -> Result<SessionRules, TurnStop> {
        let missing = || TurnError::Damaged(saying!("turn-rules-missing", rules = digest.to_string()));
        let bytes = self.blob(session, digest)?.ok_or_else(missing)?;
        Ok(decode_rules(bytes)?)
    }
}

/// Whether calls from outside ever ran in the session of a file. An external caller finds its session by id, and
/// would act under what the file allows.
fn has_manual_calls(entries: &[JournalEntry]) -> bool {
    entries.iter().filter_map(changed_voice).any(|voice| relay::is_relay(&voice.provider))
}

/// Whether a rule has counted calls of a session that had this id: calls of the copy might have the same ids, and
/// would not be counted.
fn has_rule_counted_calls(draft: &TurnDraft, id: &SessionId) -> bool {
    let calls_of_it = format!("cal_{}_", id.stem());
    let mut counted = draft.body.rules.iter().flat_map(|rule| &rule.uses).flat_map(|uses| &uses.spent);
    counted.any(|call| call.as_str().starts_with(&calls_of_it))
}

/// Closes copied actions of unknown outcome, because that outcome is settled once, in the original session: the
/// copy's rows leave the inbox. An action settled before the copy is settled in it.
fn close_unknown(draft: &mut TurnDraft, copy: &SessionId, settled: &HashMap<CallId, bool>) {
    let unknown = CallStatus::Unknown.word();
    for row in draft.calls.values_mut().filter(|row| row.session == *copy && row.state == unknown) {
        row.state =
            settled.get(&row.id).map_or(UNKNOWN_IN_ORIGINAL, |happened| settled_word(*happened)).to_owned();
    }
}
