//! The identifiers of a session, each with the best reason to keep it.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::leaves_prompt;

/// Maximum identifiers that are kept, and maximum query results that wait until something uses them. Beyond it
/// the less important half is forgotten; the log still has it.
const MOST: usize = 10_000;

/// Why an identifier is kept, best reason first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::context) enum IdentifierOrigin {
    /// A person wrote it.
    Person,
    /// It is an argument or a result of an action, or came with an event.
    Action,
    /// A query returned it, and it was used again.
    Use,
}

/// The identifiers of a session.
#[derive(Clone, Debug, Default)]
pub(in crate::context) struct IdentifierRegistry {
    kept: HashMap<String, IdentifierUse>,
    /// Identifiers that only a query has returned, with the time of the last mention.
    offered: HashMap<String, u64>,
    /// Sequence of the current entry.
    sequence: u64,
    /// Counts mentions.
    clock: u64,
}

#[derive(Clone, Copy, Debug)]
struct IdentifierUse {
    origin: IdentifierOrigin,
    /// The last mention: value of the clock, and sequence.
    last: u64,
    sequence: u64,
}

impl IdentifierRegistry {
    /// Sets the sequence of the current entry.
    pub(super) fn at(&mut self, sequence: u64) {
        self.sequence = sequence;
    }

    /// The sequence of the current entry.
    pub(super) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Records mentions. An identifier mentioned only in a reply or in the argument of a query is kept if a query
    /// returned it.
    pub(super) fn mention(
        &mut self,
        identifiers: impl IntoIterator<Item = String>,
        origin: IdentifierOrigin,
    ) {
        for identifier in identifiers {
            self.clock += 1;
            let was_offered = self.offered.remove(&identifier).is_some();
            let now = IdentifierUse { origin, last: self.clock, sequence: self.sequence };
            match self.kept.get_mut(&identifier) {
                Some(kept) => *kept = IdentifierUse { origin: origin.min(kept.origin), ..now },
                None if was_offered || origin != IdentifierOrigin::Use => {
                    self.kept.insert(identifier, now);
                }
                None => {}
            }
        }
        if self.kept.len() > MOST {
            let needed: HashSet<String> =
                self.in_order(None).into_iter().take(MOST / 2).map(str::to_owned).collect();
            self.kept.retain(|identifier, _| needed.contains(identifier));
        }
    }

    /// Records identifiers that a query returned.
    pub(super) fn offer(&mut self, identifiers: impl IntoIterator<Item = String>) {
        for identifier in identifiers {
            self.clock += 1;
            if let Some(kept) = self.kept.get_mut(&identifier) {
                (kept.last, kept.sequence) = (self.clock, self.sequence);
            } else {
                self.offered.insert(identifier, self.clock);
            }
        }
        if self.offered.len() > MOST {
            let mut times: Vec<u64> = self.offered.values().copied().collect();
            let oldest = times.len() - MOST / 2;
            let (_, oldest, _) = times.select_nth_unstable(oldest);
            let oldest = *oldest;
            self.offered.retain(|_, last| *last >= oldest);
        }
    }

    /// The kept identifiers that do not stay in the prompt: people's first, then those of actions, then those used
    /// again; newest first in each group.
    pub(in crate::context) fn in_order(&self, kept_from: Option<u64>) -> Vec<&str> {
        let mut all: Vec<_> =
            self.kept.iter().filter(|(_, kept)| leaves_prompt(kept.sequence, kept_from)).collect();
        all.sort_by_key(|(_, kept)| (kept.origin, Reverse(kept.last)));
        all.into_iter().map(|(identifier, _)| identifier.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn queried_identifier_is_kept_once_used() {
        let mut identifiers = IdentifierRegistry::default();
        identifiers.offer(words("q1 q2 q3"));
        identifiers.mention(words("made-up q2"), IdentifierOrigin::Use);
        identifiers.mention(words("a1 a2"), IdentifierOrigin::Action);
        identifiers.mention(words("p1"), IdentifierOrigin::Person);
        identifiers.mention(words("a1 p2"), IdentifierOrigin::Person);
        identifiers.mention(words("p1"), IdentifierOrigin::Use);
        assert_eq!(identifiers.in_order(None), ["p1", "p2", "a1", "a2", "q2"]);
    }

    #[test]
    fn retained_entries_are_not_repeated() {
        let mut identifiers = IdentifierRegistry::default();
        identifiers.at(3);
        identifiers.mention(words("p1 p2"), IdentifierOrigin::Person);
        identifiers.at(7);
        identifiers.offer(words("p2"));
        assert_eq!(identifiers.in_order(Some(7)), ["p1"]);
        assert_eq!(identifiers.in_order(Some(8)), ["p2", "p1"]);
    }

    #[test]
    fn important_identifiers_stay_beyond_the_maximum() {
        let mut identifiers = IdentifierRegistry::default();
        identifiers.mention(words("p1"), IdentifierOrigin::Person);
        let many = |word: &str| (0..3 * MOST).map(|number| format!("{word}{number}")).collect::<Vec<_>>();
        identifiers.offer(many("q"));
        identifiers.mention(many("a"), IdentifierOrigin::Action);
        assert!(identifiers.kept.len() <= MOST && identifiers.offered.len() <= MOST);
        assert_eq!(identifiers.in_order(None)[..2], ["p1".to_owned(), format!("a{}", 3 * MOST - 1)]);
    }
}
