//! Typed access to the facts of a turn: each method returns the known answer, or stops the turn with its fact
//! request.

use std::sync::Arc;

use entracte_domain::automation::{Automation, Trigger};
use entracte_domain::call::Call;
use entracte_domain::command::Command;
use entracte_domain::enrichment::EnrichmentReference;
use entracte_domain::id::{AutomationId, CallId, Digest, SessionId};
use entracte_domain::session::{ApprovalRecheck, ModelSelection, RequestedCall, SessionFacts};
use entracte_domain::time::{Millis, Timestamp};

use super::facts::{NextDueInstant, OwnedCallLookupContext};
use super::{
    CallLookupRequest, CallRecheckRequest, CardDigestRequest, EntryRange, FactRequest, TurnStop,
    WorkspaceTurn,
};
use crate::codec::decode_entry;
use crate::commands::{CallLookupContext, CommandInvocation, may_ask};
use crate::journal::JournalEntry;
use crate::ports::{AutomationRow, CallRow, ContextWindow};
use crate::prompt::PromptPrefix;
use crate::runtime::error::TurnError;
use crate::runtime::prefix_cache::PrefixAudience;
use crate::runtime::turn_draft::TurnDraft;
use crate::settings::{WorkspaceLocale, WorkspaceSettings};

impl WorkspaceTurn<'_> {
    /// A drawn id for a new session.
    pub(super) fn new_session(&self, draft: &mut TurnDraft) -> Result<SessionId, TurnStop> {
        self.known.new_sessions.next(&mut draft.aside.used.sessions, FactRequest::NewSession)
    }

    /// A drawn id for a new rule.
    pub(super) fn new_rule(&self, draft: &mut TurnDraft) -> Result<String, TurnStop> {
        let key = self.known.new_keys.next(&mut draft.aside.used.keys, FactRequest::NewKey)?;
        Ok(format!("rul_{key}"))
    }

    /// A short random delay that spreads simultaneous work.
    pub(super) fn jitter(&self, draft: &mut TurnDraft) -> Result<Millis, TurnStop> {
        self.known.jitters.next(&mut draft.aside.used.jitters, FactRequest::Jitter)
    }

    /// The committed ledger row of a call.
    pub(super) fn call_row(&self, id: &CallId) -> Result<Option<&CallRow>, TurnStop> {
        Ok(self.known.call.answer_or_request(id.clone(), FactRequest::Call)?.as_ref())
    }

    /// A log entry by its number in the workspace.
    pub(super) fn entry(&self, seq: u64) -> Result<Option<JournalEntry>, TurnStop> {
        let row = self.known.entry.answer_or_request(seq, FactRequest::Entry)?;
        Ok(row.as_ref().map(decode_entry).transpose()?)
    }

    /// The stored entries of a session up to a sequence, in order.
    pub(super) fn entries_up_to(&self, session: &SessionId, at: u64) -> Result<&[JournalEntry], TurnStop> {
        let up_to = EntryRange { session: session.clone(), at };
        Ok(self.known.entries.answer_or_request(up_to, FactRequest::Entries)?)
    }

    /// The bytes that an entry of a session names by hash.
    pub(super) fn blob(&self, session: &SessionId, digest: &Digest) -> Result<Option<&[u8]>, TurnStop> {
        let named = (session.clone(), digest.clone());
        Ok(self.known.blobs.answer_or_request(named, FactRequest::Blob)?.as_deref())
    }

    /// Whether a session of any workspace has this id.
    pub(super) fn is_session_id_taken(&self, id: &SessionId) -> Result<bool, TurnStop> {
        self.known.taken.answer_or_request(id.clone(), FactRequest::Taken).copied()
    }

    /// The stored automations, including unreadable ones.
    pub(super) fn automation_rows(&self) -> Result<&[AutomationRow], TurnStop> {
        Ok(self.known.automations.answer_or_request((), |()| FactRequest::Automations)?)
    }

    /// Whether an occurrence was decided.
    pub(super) fn is_decided(&self, id: &AutomationId, at: Timestamp) -> Result<bool, TurnStop> {
        self.known.decided.answer_or_request((id.clone(), at), FactRequest::Decided).copied()
    }

    /// Whether an occurrence was decided, and when the automation is due after it.
    pub(super) fn occurrence(
        &self,
        automation: &Automation,
        at: Timestamp,
    ) -> Result<(bool, NextDueInstant), TurnStop> {
        match self.known.occurrences.get(&(automation.id.clone(), at)) {
            Some((trigger, is_decided, next)) if *trigger == automation.trigger => {
                Ok((*is_decided, next.clone()))
            }
            Some(_) | None => {
                let asked = (automation.id.clone(), automation.trigger.clone(), at);
                Err(TurnStop::Need(FactRequest::Occurrence(Box::new(asked))))
            }
        }
    }

    /// When a trigger is due next.
    pub(super) fn next_due(&self, trigger: &Trigger, after: Timestamp) -> Result<NextDueInstant, TurnStop> {
        self.known.next_due.answer_or_request((trigger.clone(), after), FactRequest::NextDue).cloned()
    }

    /// The request encoding of a provider, or why the provider is unavailable.
    pub(super) fn encoding(&self, provider: &str) -> Result<&Result<Arc<str>, String>, TurnStop> {
        self.known.encodings.answer_or_request(provider.to_owned(), FactRequest::Encoding)
    }

    /// The context window of a model; `None` if its provider is unavailable.
    pub(super) fn window(&self, voice: &ModelSelection) -> Result<Option<ContextWindow>, TurnStop> {
        let asked = (voice.provider.clone(), voice.model.clone());
        self.known.windows.answer_or_request(asked, FactRequest::Window).copied()
    }

    /// The distinct prefix audiences of the workspace's open sessions, without instructions of their own.
    pub(super) fn audiences(&self) -> Result<&[PrefixAudience], TurnStop> {
        Ok(self.known.audiences.answer_or_request((), |()| FactRequest::Audiences)?)
    }

    /// The sequence of the stored message that was sent to a session with this idempotency key.
    pub(super) fn message_sequence_by_key(
        &self,
        session: &SessionId,
        key: &str,
    ) -> Result<Option<u64>, TurnStop> {
        self.known.keyed.answer_or_request((session.clone(), key.to_owned()), FactRequest::Keyed).copied()
    }

    /// The sentence that replaces an enrichment.
    pub(super) fn sentence(
        &self,
        locale: &WorkspaceLocale,
        meant: &EnrichmentReference,
    ) -> Result<String, TurnStop> {
        let asked = (locale.clone(), meant.clone());
        self.known.sentences.answer_or_request(Box::new(asked), FactRequest::Sentence).cloned()
    }

    /// Resolves the calls of a reply.
    pub(super) fn look_up_calls(
        &self,
        setting: CallLookupContext<'_>,
        asked: Vec<CommandInvocation>,
    ) -> Result<Vec<RequestedCall>, TurnStop> {
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let look_up = CallLookupRequest { looking: OwnedCallLookupContext::from_context(setting), asked };
        self.known.look_ups.answer_or_request(Box::new(look_up), FactRequest::LookUp).cloned()
    }

    /// The changes in the approval that calls need.
    pub(super) fn recheck_calls(
        &self,
        setting: CallLookupContext<'_>,
        calls: &[Call],
    ) -> Result<Vec<ApprovalRecheck>, TurnStop> {
        if !calls.iter().any(may_ask) {
            return Ok(Vec::new());
        }
        let waiting = CallRecheckRequest {
            looking: OwnedCallLookupContext::from_context(setting),
            calls: calls.to_vec(),
        };
        self.known.rechecks.answer_or_request(Box::new(waiting), FactRequest::Recheck).cloned()
    }

    /// The digest of a call's card with edited arguments.
    pub(super) fn edited_card_digest(
        &self,
        setting: CallLookupContext<'_>,
        call: &Call,
        command: &Command,
    ) -> Result<Option<Digest>, TurnStop> {
        let card = CardDigestRequest {
            looking: OwnedCallLookupContext::from_context(setting),
            call: call.clone(),
            command: command.clone(),
        };
        self.known.cards.answer_or_request(Box::new(card), FactRequest::Card).cloned()
    }

    /// The prefix of that hash, which an entry of this session names.
    pub(super) fn prefix(
        &self,
        draft: &mut TurnDraft,
        session: &SessionId,
        digest: &Digest,
    ) -> Result<Arc<PromptPrefix>, TurnStop> {
        let known = draft.aside.prefixes.in_memory(digest).or_else(|| self.memory.prefixes.in_memory(digest));
        if let Some(prefix) = known {
            return Ok(prefix);
        }
        let bytes = self.blob(session, digest)?.ok_or_else(|| TurnError::missing_prefix(digest))?;
        let prefix = Arc::new(
            PromptPrefix::decode(bytes).map_err(|fault| TurnError::unreadable_prefix(digest, &fault))?,
        );
        draft.aside.prefixes.insert(digest.clone(), prefix.clone());
        Ok(prefix)
    }

    /// The session, rules and settings that calls are resolved under.
    pub(super) fn lookup_context<'d>(
        draft: &'d TurnDraft,
        facts: &'d SessionFacts,
        settings: &'d WorkspaceSettings,
    ) -> CallLookupContext<'d> {
        CallLookupContext {
            facts,
            settings,
            rules: &draft.body.rules,
            asked_by: &facts.asked_by,
            acts_as: facts.asked_by.acts_as.as_deref(),
            last_action_at: draft.body.last_action_at,
            ai_request: false,
            now: draft.now,
        }
    }
}
