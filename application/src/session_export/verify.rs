//! Verifies that a file contains everything its entries refer to, and that replaying them gives the stated state.

use std::collections::HashMap;

use entracte_domain::id::{Digest, SessionId};
use entracte_domain::session::{Input, RequestedCall, SessionFacts, SessionKind, SessionRules};

use super::{SessionExport, malformed};
use crate::agents::agent_name_of_command;
use crate::codec::{CodecError, are_encoded_equally, decode_snapshot};
use crate::journal::{JournalEntry, referenced_rules, replay_entries};
use crate::prompt::{PromptPrefix, generation_prefix};

/// The content of a file that was verified.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifiedSessionExport {
    /// The entries, in order.
    pub entries: Vec<JournalEntry>,
    /// The rules they ran under.
    pub rules: HashMap<Digest, SessionRules>,
    /// The session kind.
    pub kind: SessionKind,
    /// The hashes of the blobs they refer to.
    pub needed: Vec<Digest>,
    /// The agents, in the order of the file.
    pub agents: Vec<Self>,
}

impl SessionExport {
    /// Returns the entries with their data, if replaying them gives the state in the file.
    ///
    /// # Errors
    /// When something is missing or cannot be read, or the state differs.
    pub fn verify(&self) -> Result<VerifiedSessionExport, CodecError> {
        let entries = self.entries()?;
        let mut rules = HashMap::new();
        for digest in referenced_rules(&entries) {
            rules.insert(digest.clone(), self.rules(digest)?);
        }
        for digest in entries.iter().filter_map(generation_prefix) {
            self.check_prefix(digest)?;
        }
        let kind = self.check_state(&entries, &rules)?;
        let needed = Self::needed_blobs(&entries);
        let agents = self.agents.iter().map(Self::verify).collect::<Result<Vec<_>, _>>()?;
        let mut sessions = vec![(&self.session, entries.as_slice())];
        for (agent, verified) in self.agents.iter().zip(&agents) {
            if !is_started_by(&agent.session, &sessions) {
                return Err(malformed(format!("no call of the file started the agent {}", agent.session)));
            }
            sessions.push((&agent.session, verified.entries.as_slice()));
        }
        Ok(VerifiedSessionExport { entries, rules, kind, needed, agents })
    }

    fn check_prefix(&self, digest: &Digest) -> Result<(), CodecError> {
        let blob = self.blobs.iter().find(|blob| blob.digest == *digest);
        let blob = blob.ok_or_else(|| malformed(format!("the prefix {digest} of a prompt is missing")))?;
        let unreadable = |fault| malformed(format!("the prefix {digest} of a prompt: {fault}"));
        PromptPrefix::decode(&blob.bytes).map(|_| ()).map_err(unreadable)
    }

    fn check_state(
        &self,
        entries: &[JournalEntry],
        rules: &HashMap<Digest, SessionRules>,
    ) -> Result<SessionKind, CodecError> {
        let stated = decode_snapshot(&self.state)?;
        let kind = stated.facts.kind;
        let created_at = entries.first().map_or(stated.facts.created_at, |entry| entry.at);
        let facts = SessionFacts::new(self.session.clone(), stated.facts.workspace.clone(), kind, created_at);
        let reached = replay_entries(facts, entries, rules);
        // An input without effect is never an entry.
        let all_counted = entries.last().is_some_and(|entry| entry.sequence == reached.facts.sequence);
        if !all_counted || !are_encoded_equally(&reached, &stated)? {
            return Err(malformed("replaying its entries does not give the state that it records"));
        }
        Ok(kind)
    }
}

/// Whether a call of one of these sessions started the agent, which is not among them. Calls of a copy after the entries
/// of the file get other ids, so nothing else ever starts a session with the id of this one in the copy.
fn is_started_by(agent: &SessionId, sessions: &[(&SessionId, &[JournalEntry])]) -> bool {
    let Some((caller, call)) = agent.caller().zip(agent.starting_call()) else { return false };
    let of_caller = sessions.iter().find(|(session, _)| **session == caller);
    let started = |entry: &JournalEntry| {
        let Input::AiResponseReceived(response) = &entry.input else { return false };
        let is_it = |(ordinal, requested): (usize, &RequestedCall)| {
            caller.call_id(entry.sequence, ordinal) == call
                && agent_name_of_command(&requested.command.name).is_some()
        };
        response.calls.iter().enumerate().any(is_it)
    };
    of_caller.is_some_and(|(_, entries)| entries.iter().any(started))
        && !sessions.iter().any(|(session, _)| *session == agent)
}
