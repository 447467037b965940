//! What a turn asks for, in its own words: each answer is known, or it is what the turn needs.

use std::sync::Arc;

use entracte_domain::automation::{Automation, Trigger};
use entracte_domain::call::Call;
use entracte_domain::command::Command;
use entracte_domain::enrichment::EnrichmentReference;
use entracte_domain::id::{AutomationId, CallId, Digest, SessionId};
use entracte_domain::session::{ApprovalRecheck, ModelSelection, RequestedCall, SessionFacts};
use entracte_domain::time::{Millis, Timestamp};

use super::facts::{Looking, NextDue};
use super::{Card, LookUp, Need, Stop, Turn, UpTo, Waiting};
use crate::codec::decode_entry;
use crate::commands::{Asked, Setting, may_ask};
use crate::journal::JournalEntry;
use crate::ports::{AutomationRow, CallRow, ContextWindow};
use crate::prompt::Prefix;
use crate::runtime::draft::Draft;
use crate::runtime::error::TurnError;
use crate::runtime::prefixes::Audience;
use crate::settings::{WorkspaceLocale, WorkspaceSettings};

impl Turn<'_> {
    /// An id for a new session.
    pub(super) fn new_session(&self, draft: &mut Draft) -> Result<SessionId, Stop> {
        self.known.new_sessions.next(&mut draft.aside.used.sessions, Need::NewSession)
    }

    /// An id for a new rule.
    pub(super) fn new_rule(&self, draft: &mut Draft) -> Result<String, Stop> {
        let key = self.known.new_keys.next(&mut draft.aside.used.keys, Need::NewKey)?;
        Ok(format!("rul_{key}"))
    }

    /// A short random time, so that not all come at once.
    pub(super) fn jitter(&self, draft: &mut Draft) -> Result<Millis, Stop> {
        self.known.jitters.next(&mut draft.aside.used.jitters, Need::Jitter)
    }

    /// The ledger's row of a call, as committed.
    pub(super) fn call_row(&self, id: &CallId) -> Result<Option<&CallRow>, Stop> {
        Ok(self.known.call.of(id.clone(), Need::Call)?.as_ref())
    }

    /// An entry of the log, by its number in the workspace.
    pub(super) fn entry(&self, seq: u64) -> Result<Option<JournalEntry>, Stop> {
        let row = self.known.entry.of(seq, Need::Entry)?;
        Ok(row.as_ref().map(decode_entry).transpose()?)
    }

    /// The stored entries of a session up to a sequence, in order.
    pub(super) fn entries_up_to(&self, session: &SessionId, at: u64) -> Result<&[JournalEntry], Stop> {
        let up_to = UpTo { session: session.clone(), at };
        Ok(self.known.entries.of(up_to, Need::Entries)?)
    }

    /// What an entry of a session names by its hash.
    pub(super) fn blob(&self, session: &SessionId, digest: &Digest) -> Result<Option<&[u8]>, Stop> {
        let named = (session.clone(), digest.clone());
        Ok(self.known.blobs.of(named, Need::Blob)?.as_deref())
    }

    /// Whether a session of any workspace has this id.
    pub(super) fn is_taken(&self, id: &SessionId) -> Result<bool, Stop> {
        self.known.taken.of(id.clone(), Need::Taken).copied()
    }

    /// The stored automations, also those that cannot be read.
    pub(super) fn automation_rows(&self) -> Result<&[AutomationRow], Stop> {
        Ok(self.known.automations.of((), |()| Need::Automations)?)
    }

    /// Whether an occurrence was decided.
    pub(super) fn is_decided(&self, id: &AutomationId, at: Timestamp) -> Result<bool, Stop> {
        self.known.decided.of((id.clone(), at), Need::Decided).copied()
    }

    /// The same, and when the automation is due after it.
    pub(super) fn occurrence(&self, automation: &Automation, at: Timestamp) -> Result<(bool, NextDue), Stop> {
        match self.known.occurrences.get(&(automation.id.clone(), at)) {
            Some((trigger, is_decided, next)) if *trigger == automation.trigger => {
                Ok((*is_decided, next.clone()))
            }
            Some(_) | None => {
                let asked = (automation.id.clone(), automation.trigger.clone(), at);
                Err(Stop::Need(Need::Occurrence(Box::new(asked))))
            }
        }
    }

    /// When a trigger is due next.
    pub(super) fn next_due(&self, trigger: &Trigger, after: Timestamp) -> Result<NextDue, Stop> {
        self.known.next_due.of((trigger.clone(), after), Need::NextDue).cloned()
    }

    /// How a provider's requests are written, or why it cannot be had.
    pub(super) fn encoding(&self, provider: &str) -> Result<&Result<Arc<str>, String>, Stop> {
        self.known.encodings.of(provider.to_owned(), Need::Encoding)
    }

    /// How much a model reads and writes at once; none where its provider cannot be had.
    pub(super) fn window(&self, voice: &ModelSelection) -> Result<Option<ContextWindow>, Stop> {
        let asked = (voice.provider.clone(), voice.model.clone());
        self.known.windows.of(asked, Need::Window).copied()
    }

    /// Whom the open sessions of the workspace are for, each once, without instructions of their own.
    pub(super) fn audiences(&self) -> Result<&[Audience], Stop> {
        Ok(self.known.audiences.of((), |()| Need::Audiences)?)
    }

    /// The sequence of the stored message that was sent to a session with this key.
    pub(super) fn keyed(&self, session: &SessionId, key: &str) -> Result<Option<u64>, Stop> {
        self.known.keyed.of((session.clone(), key.to_owned()), Need::Keyed).copied()
    }

    /// The sentence that stands in an enrichment's place.
    pub(super) fn sentence(
        &self,
        locale: &WorkspaceLocale,
        meant: &EnrichmentReference,
    ) -> Result<String, Stop> {
        let asked = (locale.clone(), meant.clone());
        self.known.sentences.of(Box::new(asked), Need::Sentence).cloned()
    }

    /// What is known of the calls of a reply.
    pub(super) fn look_up(
        &self,
        setting: Setting<'_>,
        asked: Vec<Asked>,
    ) -> Result<Vec<RequestedCall>, Stop> {
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let look_up = LookUp { looking: Looking::of(setting), asked };
        self.known.look_ups.of(Box::new(look_up), Need::LookUp).cloned()
    }

    /// What changed about the approval that calls need.
    pub(super) fn look_again(
        &self,
        setting: Setting<'_>,
        calls: &[Call],
    ) -> Result<Vec<ApprovalRecheck>, Stop> {
        if !calls.iter().any(may_ask) {
            return Ok(Vec::new());
        }
        let waiting = Waiting { looking: Looking::of(setting), calls: calls.to_vec() };
        self.known.rechecks.of(Box::new(waiting), Need::Recheck).cloned()
    }

    /// The digest of a call's card with other arguments on it.
    pub(super) fn card(
        &self,
        setting: Setting<'_>,
        call: &Call,
        command: &Command,
    ) -> Result<Option<Digest>, Stop> {
        let card = Card { looking: Looking::of(setting), call: call.clone(), command: command.clone() };
        self.known.cards.of(Box::new(card), Need::Card).cloned()
    }

    /// The prefix of that hash, which an entry of this session names.
    pub(super) fn prefix(
        &self,
        draft: &mut Draft,
        session: &SessionId,
        digest: &Digest,
    ) -> Result<Arc<Prefix>, Stop> {
        let known = draft.aside.prefixes.in_memory(digest).or_else(|| self.memory.prefixes.in_memory(digest));
        if let Some(prefix) = known {
            return Ok(prefix);
        }
        let damaged = |why: String| TurnError::Damaged(format!("blobs, prefix {digest}: {why}"));
        let bytes = self.blob(session, digest)?.ok_or_else(|| damaged("it is missing".into()))?;
        let prefix = Arc::new(Prefix::decode(bytes).map_err(|fault| damaged(fault.to_string()))?);
        draft.aside.prefixes.insert(digest.clone(), prefix.clone());
        Ok(prefix)
    }

    /// For whom, and under what, something is looked up.
    pub(super) fn looking<'d>(
        draft: &'d Draft,
        facts: &'d SessionFacts,
        settings: &'d WorkspaceSettings,
    ) -> Setting<'d> {
        Setting {
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
