//! Ranks found chunks by BM25, with a bonus for words adjacent to each other as in the query. Computed here, so that
//! every database ranks alike.

use super::search_terms::{ChunkFrequencies, SearchTerms, frequency};
use crate::ports::{ChunkCandidate, ChunkHit, KnowledgeStatistics};

/// The weight of a word in a heading relative to the text.
const HEADING: f64 = 3.0;
/// BM25's k1: how quickly repetitions of a word lose weight.
const SATURATION: f64 = 1.2;
/// BM25's b: how much the length of a chunk reduces its score.
const LENGTH: f64 = 0.75;

/// Scores chunks, best first. Duplicates are removed.
pub fn rank(
    mut candidates: Vec<ChunkCandidate>,
    question: &SearchTerms,
    frequencies: &ChunkFrequencies,
    library: &KnowledgeStatistics,
) -> Vec<ChunkHit> {
    candidates.sort_by_key(|candidate| candidate.chunk.number);
    candidates.dedup_by_key(|candidate| candidate.chunk.number);
    let mean = (exact(library.terms) / exact(library.chunks).max(1.0)).max(1.0);
    let weights: Vec<(&[String], f64)> = question
        .words()
        .iter()
        .map(|word| (word.as_slice(), rareness(frequency(word, frequencies), library.chunks)))
        .collect();
    let mut hits: Vec<ChunkHit> = candidates
        .into_iter()
        .map(|candidate| {
            let length = exact(candidate.terms.len() as u64 + candidate.heading_terms.len() as u64);
            let damping = SATURATION * (1.0 - LENGTH + LENGTH * length / mean);
            let score = weights
                .iter()
                .map(|(word, rareness)| {
                    let times =
                        times(word, &candidate.terms) + HEADING * times(word, &candidate.heading_terms);
                    rareness * times * (SATURATION + 1.0) / (times + damping)
                })
                .sum::<f64>();
            let score = score + beside(&weights, &candidate);
            ChunkHit { chunk: candidate.chunk, score }
        })
        .filter(|hit| hit.score > 0.0)
        .collect();
    hits.sort_by(|one, other| {
        other.score.total_cmp(&one.score).then_with(|| one.chunk.number.cmp(&other.chunk.number))
    });
    hits
}

/// The bonus for query words adjacent to each other as in the query: for each such pair, the weight of the rarer word.
/// Most questions contain the words of their answer in its order.
fn beside(weights: &[(&[String], f64)], candidate: &ChunkCandidate) -> f64 {
    let follow = |terms: &[String], first: &[String], second: &[String]| {
        terms.windows(2).any(|pair| first.contains(&pair[0]) && second.contains(&pair[1]))
    };
    weights
        .windows(2)
        .filter_map(|pair| match pair {
            [(first, one), (second, other)] => {
                let is_there = follow(&candidate.terms, first, second)
                    || follow(&candidate.heading_terms, first, second);
                is_there.then(|| one.max(*other))
            }
            _ => None,
        })
        .sum()
}

/// The weight of a word by the number of chunks that contain it; positive even for words in most chunks.
fn rareness(with: u64, all: u64) -> f64 {
    let (with, all) = (exact(with.min(all)), exact(all));
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

fn times(word: &[String], terms: &[String]) -> f64 {
    exact(terms.iter().filter(|term| word.contains(term)).count() as u64)
}

#[expect(clippy::cast_precision_loss, reason = "counts of terms and chunks are far below 2^52")]
fn exact(count: u64) -> f64 {
    count as f64
}
