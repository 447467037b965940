//! The terms of a query, and the database queries for chunks.

use std::collections::{BTreeMap, BTreeSet};

use super::IndexLanguage;
use super::analysis::{stemmer, term, words};
use crate::ports::ChunkQuery;

/// The maximum number of words of a question that are used.
const MOST_WORDS: usize = 32;

/// If this many chunks contain all words, no others are searched.
pub const ENOUGH: usize = 50;

/// The maximum number of chunks that each database query returns for scoring.
pub const CANDIDATES: u32 = 200;

/// The rarest words are used as long as they occur in at most this many chunks together; the rarest one always is.
const RAREST: u64 = 500;

/// The number of chunks that contain each term; missing terms occur in none.
pub type ChunkFrequencies = BTreeMap<String, u64>;

/// The words of a question, each with the terms it may be indexed as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchTerms {
    words: Vec<Vec<String>>,
}

impl SearchTerms {
    /// Analyses a question in each of these index languages.
    pub fn from_question(text: &str, tongues: &[IndexLanguage]) -> Self {
        let stemmers: Vec<_> = tongues.iter().map(|tongue| (*tongue, stemmer(*tongue))).collect();
        let mut telling: Vec<Vec<String>> = Vec::new();
        let mut others: Vec<Vec<String>> = Vec::new();
        for word in words(text) {
            let terms: Vec<Option<String>> =
                stemmers.iter().map(|(tongue, stemmer)| term(&word, *tongue, stemmer.as_ref())).collect();
            // A stop word in one language is almost never the subject of a question in another.
            let list = if terms.contains(&None) { &mut others } else { &mut telling };
            let alternatives: BTreeSet<String> = terms.into_iter().flatten().collect();
            let alternatives: Vec<String> = alternatives.into_iter().collect();
            if !alternatives.is_empty() && !list.contains(&alternatives) && list.len() < MOST_WORDS {
                list.push(alternatives);
            }
        }
        Self { words: if telling.is_empty() { others } else { telling } }
    }

    /// Whether there is no word to search for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Every term, without duplicates.
    pub fn terms(&self) -> Vec<String> {
        let all: BTreeSet<&String> = self.words.iter().flatten().collect();
        all.into_iter().cloned().collect()
    }

    /// The words, each as the terms it may be indexed as.
    pub fn words(&self) -> &[Vec<String>] {
        &self.words
    }

    /// A query for the chunks with every word; `None` if a word occurs in no chunk.
    pub fn match_all(&self, frequencies: &ChunkFrequencies) -> Option<ChunkQuery> {
        let known = |alternatives: &Vec<String>| -> Vec<String> {
            alternatives.iter().filter(|term| frequencies.contains_key(*term)).cloned().collect()
        };
        let words: Vec<Vec<String>> = self.words.iter().map(known).collect();
        let is_possible = !words.is_empty() && words.iter().all(|alternatives| !alternatives.is_empty());
        is_possible.then_some(ChunkQuery::All(words))
    }

    /// A query for the chunks with one of the rarest words; `None` if no word occurs in any chunk.
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

/// The maximum number of chunks that contain the word.
pub(super) fn frequency(word: &[String], frequencies: &ChunkFrequencies) -> u64 {
    word.iter().filter_map(|term| frequencies.get(term)).sum()
}
