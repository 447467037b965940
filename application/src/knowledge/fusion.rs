//! Joins what was found by words with what was found by meaning, by their ranks: the scores of both cannot be compared.

use crate::ports::ChunkHit;

/// So many of each are joined.
pub const FUSED_FROM: usize = 50;

/// How little the first ranks differ from those behind them.
const SMOOTHING: f64 = 60.0;

/// Both lists in one, each the best first: a chunk has the sum of 1 / (60 + its rank) of the lists that it is in. Of two
/// that are equal, the one that has the better rank by words is first.
pub fn fuse(text: &[ChunkHit], vectors: &[ChunkHit]) -> Vec<ChunkHit> {
    let mut fused: Vec<ChunkHit> = Vec::new();
    for list in [text, vectors] {
        let mut rank = 0.0;
        for hit in list.iter().take(FUSED_FROM) {
            rank += 1.0;
            let score = 1.0 / (SMOOTHING + rank);
            match fused.iter_mut().find(|known| known.chunk.number == hit.chunk.number) {
                Some(known) => known.score += score,
                None => fused.push(ChunkHit { chunk: hit.chunk.clone(), score }),
            }
        }
    }
    // Stable: those of the text stand before the others.
    fused.sort_by(|one, other| other.score.total_cmp(&one.score));
    fused
}
