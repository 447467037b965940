//! Fuses keyword and semantic results by rank, because their scores are not comparable.

use crate::ports::ChunkHit;

/// The number of results of each search that are fused.
pub const FUSED_FROM: usize = 50;

/// The constant of reciprocal rank fusion: the larger, the less the first ranks differ from later ones.
const SMOOTHING: f64 = 60.0;

/// Fuses both lists, each sorted best first: a chunk scores the sum of 1 / (60 + rank) over the lists that contain it.
/// Ties are ordered by keyword rank.
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
    // Stable sort: keyword results precede others on a tie.
    fused.sort_by(|one, other| other.score.total_cmp(&one.score));
    fused
}
