//! Verifies that a file contains everything its entries refer to, and that replaying them gives the stated state.

use std::collections::HashMap;

use entracte_domain::id::Digest;
use entracte_domain::session::{SessionFacts, SessionKind, SessionRules};

use super::{SessionExport, malformed};
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
        Ok(VerifiedSessionExport { entries, rules, kind, needed })
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
