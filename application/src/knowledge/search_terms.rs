//! What somebody looks for, and which chunks the database is asked for.

use std::collections::{BTreeMap, BTreeSet};

use super::IndexLanguage;
use super::analysis::{stemmer, term, words};
use crate::ports::ChunkQuery;

/// The words of a question that are looked at.
const MOST_WORDS: usize = 32;

/// With as many chunks that have all words, no others are looked for.
pub const ENOUGH: usize = 50;

/// The chunks that are scored, of each way they are looked for.
pub const CANDIDATES: u32 = 200;

/// The rarest words are looked for while they stand in no more chunks than this together; the rarest one always is.
const RAREST: u64 = 500;

/// In how many chunks terms stand; those that are not in it stand in none.
pub type ChunkFrequencies = BTreeMap<String, u64>;

/// The words of a question, as the terms that they may be indexed as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchTerms {
    words: Vec<Vec<String>>,
}

impl SearchTerms {
    /// A question in words, as each of these languages would index them.
    pub fn from_question(text: &str, tongues: &[IndexLanguage]) -> Self {
        let stemmers: Vec<_> = tongues.iter().map(|tongue| (*tongue, stemmer(*tongue))).collect();
        let mut telling: Vec<Vec<String>> = Vec::new();
        let mut others: Vec<Vec<String>> = Vec::new();
        for word in words(text) {
            let terms: Vec<Option<String>> =
                stemmers.iter().map(|(tongue, stemmer)| term(&word, *tongue, stemmer.as_ref())).collect();
            // What says nothing in one language is as good as never what a question is about in another.
            let list = if terms.contains(&None) { &mut others } else { &mut telling };
            let alternatives: BTreeSet<String> = terms.into_iter().flatten().collect();
            let alternatives: Vec<String> = alternatives.into_iter().collect();
            if !alternatives.is_empty() && !list.contains(&alternatives) && list.len() < MOST_WORDS {
                list.push(alternatives);
            }
        }
        Self { words: if telling.is_empty() { others } else { telling } }
    }

    /// Whether nothing can be looked for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Every term of it, each once.
    pub fn terms(&self) -> Vec<String> {
        let all: BTreeSet<&String> = self.words.iter().flatten().collect();
        all.into_iter().cloned().collect()
    }

    /// Each word, as the terms that it may be indexed as.
    pub fn words(&self) -> &[Vec<String>] {
        &self.words
    }

    /// The chunks that have every word; none where a word stands nowhere.
    pub fn match_all(&self, frequencies: &ChunkFrequencies) -> Option<ChunkQuery> {
        let known = |alternatives: &Vec<String>| -> Vec<String> {
            alternatives.iter().filter(|term| frequencies.contains_key(*term)).cloned().collect()
        };
        let words: Vec<Vec<String>> = self.words.iter().map(known).collect();
        let is_possible = !words.is_empty() && words.iter().all(|alternatives| !alternatives.is_empty());
        is_possible.then_some(ChunkQuery::All(words))
    }

    /// The chunks that have one of the rarest words; none where every word stands nowhere.
    pub fn match_rarest(&self, frequencies: &ChunkFrequencies) -> Option<ChunkQuery> {
        let mut words: Vec<(u64, Vec<String>)> = self
            .words
            .iter()
            .map(|word| (frequency(word, frequencies), word.clone()))
            .filter(|(frequency, _)| *frequency > 0)
            .collect();
        words.sort_by_key(|(frequency, _)| *frequency);
        let mut sum = 0;
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        for (frequency, word) in words {
            sum += frequency;
            if sum > RAREST && !wanted.is_empty() {
                break;
            }
            wanted.extend(word.into_iter().filter(|term| frequencies.contains_key(term)));
        }
        (!wanted.is_empty()).then(|| ChunkQuery::Any(wanted.into_iter().collect()))
    }
}

/// In how many chunks a word stands, at most.
pub(super) fn frequency(word: &[String], frequencies: &ChunkFrequencies) -> u64 {
    word.iter().filter_map(|term| frequencies.get(term)).sum()
}
