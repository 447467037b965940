//! Copies of sessions: a fork branches off from a session of the same database, an import comes from a file. The
//! entries are copied with what they recorded; nothing of them runs again.

use std::collections::HashMap;

use entracte_domain::id::{Digest, SessionId};
use entracte_domain::session::{Copying, Input, Phase, Rules, SessionFacts, SessionKind, Stamped, replay};

use super::refused;
use super::rename::Renaming;
use crate::codec::{
    CodecError, Document, Entry, MailAnswer, Snapshot, decode_entry, decode_rules, decode_snapshot,
    encode_snapshot,
};
use crate::runtime::draft::{Draft, Drafted};
use crate::runtime::workspace::{Fault, Workspace};

/// Entries read at once.
const PAGE: u32 = 500;

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
    ) -> Result<MailAnswer, Fault> {
        if self.draft_session(draft, branch.id).await? {
            return Ok(MailAnswer::Accepted { message: None, session: branch.id.clone() });
        }
        let stored = draft.sessions.get(from).and_then(|drafted| drafted.stored).unwrap_or_default();
        if branch.at == 0 || branch.at > stored {
            let text = format!(
                "{from} has the sequences 1 to {stored}, and {} was named; see them: entracte session journal {from}",
                branch.at
            );
            return Ok(refused("invalid", &text));
        }
        let mut entries = self.entries_up_to(from, branch.at).await?;
        if let Some(Entry { input: Input::SessionCreated(creation), .. }) = entries.first_mut() {
            branch.name.clone_into(&mut creation.name);
        }
        let mut rules = HashMap::new();
        for entry in &entries {
            if !rules.contains_key(&entry.rules) {
                rules.insert(entry.rules.clone(), self.stored_rules(&entry.rules).await?);
            }
        }
        let (to, author, how) = (branch.id, branch.author, Copying::Fork);
        self.copy(draft, Copy { from, to, entries, rules, how, author })
    }

    /// Makes a session from a file, after it was replayed and found to give the state that it names.
    pub(super) async fn import(
        &mut self,
        draft: &mut Draft,
        author: &str,
        id: &SessionId,
        document: &str,
    ) -> Result<MailAnswer, Fault> {
        let (document, entries, rules) = match checked(document) {
            Ok(checked) => checked,
            Err(why) => return Ok(refused("invalid", &format!("the file cannot be imported: {why}"))),
        };
        if self.house.store.session(id).await?.is_some() || draft.sessions.contains_key(id) {
            let text = format!(
                "there is a session {id} already; import it as a new one: entracte session import FILE --as-new"
            );
            return Ok(refused("conflict", &text));
        }
        draft.blobs.extend(document.blobs.iter().cloned());
        let (from, how) = (&document.session, Copying::Import);
        self.copy(draft, Copy { from, to: id, entries, rules, how, author })
    }

    fn copy(&mut self, draft: &mut Draft, copy: Copy<'_>) -> Result<MailAnswer, Fault> {
        let Copy { from, to, entries, rules, how, author } = copy;
        let (Some(first), Some(at)) = (entries.first(), entries.last().map(|entry| entry.sequence)) else {
            return Ok(refused("invalid", "there is nothing to copy"));
        };
        let kind = draft.sessions.get(from).map_or(SessionKind::Chat, |drafted| drafted.facts.kind);
        let kind = kind_of(&entries).unwrap_or(kind);
        let facts = SessionFacts::new(to.clone(), self.key().clone(), kind, first.at);
        draft.sessions.insert(to.clone(), Drafted { facts, phase: Phase::Idle, stored: None });
        let renaming = Renaming::new(from, to);
        for mut entry in entries {
            entry.session = to.clone();
            renaming.input(&mut entry.input);
            entry.appended.iter_mut().for_each(|appended| renaming.appended(appended));
            let Some(rules) = rules.get(&entry.rules) else {
                return Err(Fault::Damaged(format!(
                    "blobs: the rules {} of {from} are missing",
                    entry.rules
                )));
            };
            draft.copy_entry(entry, rules)?;
        }
        let input = Input::SessionCopied { from: from.clone(), at, how, author: author.to_owned() };
        draft.feed(to, input, &self.rules)?;
        Ok(MailAnswer::Accepted { message: None, session: to.clone() })
    }

    async fn entries_up_to(&self, session: &SessionId, at: u64) -> Result<Vec<Entry>, Fault> {
        let mut entries = Vec::new();
        let mut after = 0;
        loop {
            let rows = self.house.log.entries(session, after, PAGE).await?;
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

    async fn stored_rules(&self, digest: &Digest) -> Result<Rules, Fault> {
        let missing = || Fault::Damaged(format!("blobs: the rules {digest} of an entry are missing"));
        let bytes = self.house.log.blob(digest).await?.ok_or_else(missing)?;
        Ok(decode_rules(&bytes)?)
    }
}

/// The kind of the session that these are the entries of: only runs name an automation, only agents a parent.
fn kind_of(entries: &[Entry]) -> Option<SessionKind> {
    match entries.first().map(|entry| &entry.input) {
        Some(Input::SessionCreated(creation)) if creation.parent.is_some() => Some(SessionKind::Agent),
        Some(Input::SessionCreated(creation)) if creation.automation.is_some() => {
            Some(SessionKind::Automation)
        }
        Some(_) | None => None,
    }
}

type Checked = (Document, Vec<Entry>, HashMap<Digest, Rules>);

/// The file's entries, when replaying them gives the state that the file names.
fn checked(text: &str) -> Result<Checked, CodecError> {
    let document = Document::decode(text)?;
    let entries = document.entries()?;
    let mut rules = HashMap::new();
    for entry in &entries {
        if !rules.contains_key(&entry.rules) {
            rules.insert(entry.rules.clone(), document.rules(&entry.rules)?);
        }
    }
    let stated = decode_snapshot(&document.state)?;
    let facts = SessionFacts::new(
        document.session.clone(),
        stated.facts.workspace.clone(),
        stated.facts.kind,
        entries.first().map_or(stated.facts.created_at, |entry| entry.at),
    );
    let inputs = entries.iter().filter_map(|entry| {
        let rules = rules.get(&entry.rules)?;
        Some(Stamped { now: entry.at, rules, input: entry.input.clone() })
    });
    let (facts, phase) = replay(facts, inputs);
    if encode_snapshot(&Snapshot { facts, phase })? != encode_snapshot(&stated)? {
        let detail = "replaying its entries does not give the state that it names".to_owned();
        return Err(CodecError::Malformed { what: "session file", detail });
    }
    Ok((document, entries, rules))
}
