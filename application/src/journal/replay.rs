//! Replay of journal entries.

use std::collections::{BTreeSet, HashMap};

use entracte_domain::id::Digest;
use entracte_domain::session::{ReplayInput, SessionFacts, SessionRules, replay};

use super::{JournalEntry, Snapshot};

/// The hashes of the rules that entries ran under, without duplicates.
pub fn referenced_rules(entries: &[JournalEntry]) -> BTreeSet<&Digest> {
    entries.iter().map(|entry| &entry.rules).collect()
}

/// Replays entries from the facts of a new session. Executes nothing.
///
/// `rules` contains those of [`referenced_rules`]. An entry whose rules are missing is ignored.
pub fn replay_entries(
    facts: SessionFacts,
    entries: &[JournalEntry],
    rules: &HashMap<Digest, SessionRules>,
) -> Snapshot {
    let inputs = entries.iter().filter_map(|entry| {
        let rules = rules.get(&entry.rules)?;
        Some(ReplayInput { seq: entry.seq, now: entry.at, rules, input: entry.input.clone() })
    });
    let (facts, phase) = replay(facts, inputs);
    Snapshot { facts, phase }
}
