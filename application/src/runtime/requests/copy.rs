//! Copies of sessions: a fork branches off from a session of the same database, an import comes from a file. The
//! entries are copied with what they recorded; nothing of them runs again.

use std::collections::HashMap;

use entracte_domain::automation::RunPolicy;
use entracte_domain::call::CallStatus;
use entracte_domain::id::{CallId, Digest, SessionId};
use entracte_domain::session::{Copying, Input, Phase, Rules, SessionFacts, SessionKind};

use super::rename::Renaming;
use super::{refused, settled_word, texts};
use crate::codec::{decode_entry, decode_rules};
use crate::copies::{Document, Whole};
use crate::journal::Entry;
use crate::mail::MailAnswer;
use crate::ports::ResourceFilter;
use crate::prompt::begins;
use crate::runtime::data;
use crate::runtime::draft::{Draft, Drafted};
use crate::runtime::workspace::{TurnError, Workspace};
use crate::texts::say;

/// Entries read at once.
const PAGE: u32 = 500;

/// State of a copied call whose outcome a person settles in the session that it was copied from.
const UNKNOWN_IN_ORIGINAL: &str = "unknown_in_original";

/// What a fork is asked for with.
pub(super) struct Branch<'a> {
    pub(super) author: &'a str,
    pub(super) id: &'a SessionId,
    pub(super) name: &'a str,
    pub(super) at: u64,
}

/// What is copied, and where to.
struct Copy<'a> {
    from: &'a SessionId,
    to: &'a SessionId,
    entries: Vec<Entry>,
    rules: HashMap<Digest, Rules>,
    kind: SessionKind,
    how: Copying,
    author: &'a str,
}

impl Workspace {
    /// Makes a session that has the entries of another one up to a sequence.
    pub(super) async fn fork(
        &mut self,
        draft: &mut Draft,
        from: &SessionId,
        branch: &Branch<'_>,
    ) -> Result<MailAnswer, TurnError> {
        if self.draft_session(draft, branch.id).await? {
            return Ok(MailAnswer::taken(None, branch.id));
        }
        if let Some(refusal) = self.id_fault(draft, branch.id).await? {
            return Ok(refusal);
        }
        let Some((kind, stored)) = draft.sessions.get(from).map(|from| (from.facts.kind, from.stored)) else {
            return Ok(refused(
                "not_found",
                &say!(texts(draft), "request-no-session", session = from.as_str()),
            ));
        };
        let stored = stored.unwrap_or_default();
        if branch.at == 0 || branch.at > stored {
            let (session, last, at) = (from.as_str(), stored, branch.at);
            let text = say!(
                texts(draft),
                "request-no-sequence",
                session = session,
                last = last.to_string(),
                at = at.to_string()
            );
            return Ok(refused("invalid", &text));
        }
        let mut entries = self.entries_up_to(from, branch.at).await?;
        if let Some(Entry { input: Input::SessionCreated(creation), .. }) = entries.first_mut() {
            branch.name.clone_into(&mut creation.name);
        }
        self.keep_prefix(from, &entries).await?;
        let mut rules = HashMap::new();
        for entry in &entries {
            if !rules.contains_key(&entry.rules) {
                rules.insert(entry.rules.clone(), self.stored_rules(from, &entry.rules).await?);
            }
        }
        let (to, author, how) = (branch.id, branch.author, Copying::Fork);
        self.copy(draft, Copy { from, to, entries, rules, kind, how, author })
    }

    /// Keeps the prefix that a fork goes on with in memory: its own row comes with this commit, and until then the
    /// prefix is reached through the session that it is copied from.
    async fn keep_prefix(&mut self, from: &SessionId, entries: &[Entry]) -> Result<(), TurnError> {
        let Some(digest) = entries.iter().rev().find_map(|entry| begins(&entry.input)) else { return Ok(()) };
        let key = self.key().clone();
        match self.prefixes.of(&self.services, (&key, from), digest).await {
            // One that cannot be read any more is replaced where it is needed.
            Ok(_) | Err(TurnError::Damaged(_)) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    /// Makes a session from a file, after it was replayed and found to give the state that it names.
    pub(super) async fn import(
        &mut self,
        draft: &mut Draft,
        author: &str,
        id: &SessionId,
        document: &str,
    ) -> Result<MailAnswer, TurnError> {
        let checked = match Document::decode(document)
            .and_then(|document| document.check().map(|whole| (document, whole)))
        {
            Ok(checked) => checked,
            Err(why) => {
                return Ok(refused(
                    "invalid",
                    &say!(texts(draft), "request-not-imported", why = why.to_string()),
                ));
            }
        };
        let (document, Whole { entries, rules, kind, needed }) = checked;
        if self.draft_session(draft, id).await? {
            let text = say!(texts(draft), "request-session-exists", session = id.as_str());
            return Ok(refused("conflict", &text));
        }
        // A session of another workspace has it, and is not there for this one: the copy gets an id of its own.
        let own_id = match self.services.store.is_taken(id).await? {
            true => self.services.ids.session(),
            false => id.clone(),
        };
        let id = &own_id;
        if self.has_made_data(id).await? {
            let text = say!(texts(draft), "request-session-left-data", session = id.as_str());
            return Ok(refused("conflict", &text));
        }
        let is_needed = |digest: &Digest| needed.contains(digest);
        draft.blobs.extend(document.blobs.into_iter().filter(|blob| is_needed(&blob.digest)));
        let (from, how) = (&document.session, Copying::Import);
        self.copy(draft, Copy { from, to: id, entries, rules, kind, how, author })
    }

    /// Whether a session of that id, deleted since, made data that is still there. Ids of calls and of what they make
    /// derive from the session's, so one of the same id would give them a second time.
    async fn has_made_data(&self, id: &SessionId) -> Result<bool, TurnError> {
        let mark = format!("_{}_", id.stem());
        for kind in data::KINDS {
            let mut filter =
                ResourceFilter { kind: kind.into(), limit: Some(PAGE), ..ResourceFilter::default() };
            loop {
                let rows = self.services.rows.resources(self.key(), &filter).await?;
                if rows.iter().any(|row| row.id.contains(&mark)) {
                    return Ok(true);
                }
                if rows.len() < PAGE as usize {
                    break;
                }
                filter.offset = filter.offset.saturating_add(PAGE);
            }
        }
        Ok(false)
    }

    fn copy(&mut self, draft: &mut Draft, copy: Copy<'_>) -> Result<MailAnswer, TurnError> {
        let Copy { from, to, entries, rules, kind, how, author } = copy;
        let (Some(first), Some(at)) = (entries.first(), entries.last().map(|entry| entry.sequence)) else {
            return Ok(refused("invalid", &say!(texts(draft), "request-nothing-to-copy")));
        };
        let facts = SessionFacts::new(to.clone(), self.key().clone(), kind, first.at);
        draft.sessions.insert(to.clone(), Drafted { facts, phase: Phase::Idle, stored: None });
        let renaming = Renaming::new(from, to);
        let mut settled = HashMap::new();
        for mut entry in entries {
            entry.session = to.clone();
            renaming.input(&mut entry.input);
            entry.appended.iter_mut().for_each(|appended| renaming.appended(appended));
            if let Input::CallSettled { call, happened, .. } = &entry.input {
                settled.insert(call.clone(), *happened);
            }
            let Some(rules) = rules.get(&entry.rules) else {
                return Err(TurnError::Damaged(format!(
                    "blobs: the rules {} of {from} are missing",
                    entry.rules
                )));
            };
            draft.copy_entry(entry, rules)?;
        }
        // What a copy may do comes from the workspace it is in; where the session was stricter, it stays so.
        let own = draft.sessions.get(to).map(|drafted| drafted.facts.policy).unwrap_or_default();
        let policy = Some(own.in_copy(self.rules.of_run(kind, RunPolicy::default())));
        let input = Input::SessionCopied { from: from.clone(), at, how, author: author.to_owned(), policy };
        draft.feed(to, input, &self.rules)?;
        close_unknown(draft, to, &settled);
        Ok(MailAnswer::taken(None, to))
    }

    /// The entries of a session up to a sequence, in order.
    pub(in crate::runtime) async fn entries_up_to(
        &self,
        session: &SessionId,
        at: u64,
    ) -> Result<Vec<Entry>, TurnError> {
        let mut entries = Vec::new();
        let mut after = 0;
        loop {
            let rows = self.services.log.entries(self.key(), session, after, PAGE).await?;
            let Some(last) = rows.last() else { return Ok(entries) };
            after = last.seq;
            for row in &rows {
                if row.sequence > at {
                    return Ok(entries);
                }
                entries.push(decode_entry(row)?);
            }
        }
    }

    async fn stored_rules(&self, session: &SessionId, digest: &Digest) -> Result<Rules, TurnError> {
        let missing = || TurnError::Damaged(format!("blobs: the rules {digest} of an entry are missing"));
        let bytes = self.services.log.blob(self.key(), session, digest).await?.ok_or_else(missing)?;
        Ok(decode_rules(&bytes)?)
    }
}

/// What became of an action of unknown outcome is asked once, in the session that did it: the copy's rows are out of
/// the inbox. One that was settled before the copy is settled in it.
fn close_unknown(draft: &mut Draft, copy: &SessionId, settled: &HashMap<CallId, bool>) {
    let unknown = CallStatus::Unknown.word();
    for row in draft.calls.values_mut().filter(|row| row.session == *copy && row.state == unknown) {
        row.state =
            settled.get(&row.id).map_or(UNKNOWN_IN_ORIGINAL, |happened| settled_word(*happened)).to_owned();
    }
}
