//! The vectors of a workspace in memory, compared exhaustively with a query. Pure.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::quantization::{steps, unit};
use crate::ports::QuantizedVector;

/// The largest quantization step of a query: finer than that of the vectors, and small enough that the sum over
/// [`EmbeddingModel::DIMS_MAX`](crate::ports::EmbeddingModel::DIMS_MAX) numbers fits 32 bits.
const STEPS: f32 = 2_047.0;

/// The bytes of a vector besides its numbers: the number of its chunk, and the scale.
const BESIDE: u64 = 12;

/// Vectors, each with the number of its chunk.
#[derive(Debug, Default)]
pub struct VectorIndex {
    dims: usize,
    chunks: Vec<u64>,
    scales: Vec<f32>,
    /// All vectors, concatenated.
    numbers: Vec<i8>,
}

/// A chunk with its score; the nearest one is the greatest, and of equal ones the first.
#[derive(PartialEq)]
struct NearestChunk {
    score: f32,
    chunk: u64,
}

impl Eq for NearestChunk {}

impl PartialOrd for NearestChunk {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for NearestChunk {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.chunk.cmp(&self.chunk))
    }
}

impl VectorIndex {
    /// An empty index of this many dimensions, with capacity for `count` vectors.
    pub fn new(dims: u32, count: u64) -> Self {
        let (dims, count) = (size(dims.into()), size(count));
        Self {
            dims,
            chunks: Vec::with_capacity(count),
            scales: Vec::with_capacity(count),
            numbers: Vec::with_capacity(count.saturating_mul(dims)),
        }
    }

    /// The bytes that this many vectors need.
    pub fn required_bytes(dims: u32, count: u64) -> u64 {
        count.saturating_mul(u64::from(dims) + BESIDE)
    }

    /// Adds a vector; one with other dimensions is ignored.
    pub fn push(&mut self, chunk: u64, vector: &QuantizedVector) {
        if vector.bytes.len() != self.dims {
            return;
        }
        self.chunks.push(chunk);
        self.scales.push(vector.scale);
        self.numbers.extend(vector.bytes.iter().map(|byte| i8::from_ne_bytes([*byte])));
    }

    /// Whether the index is empty.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The size of the index in bytes.
    pub fn bytes(&self) -> u64 {
        Self::required_bytes(u32::try_from(self.dims).unwrap_or(u32::MAX), self.chunks.len() as u64)
    }

    /// The chunks nearest to a query, nearest first, with the cosine of their angle to it; at most `most`. Empty for a
    /// query without a direction or with other dimensions.
    pub fn search(&self, question: &[f32], most: usize) -> Vec<(u64, f32)> {
        let Some(question) = unit(question).filter(|unit| unit.len() == self.dims && most > 0) else {
            return Vec::new();
        };
        let (scale, steps) = steps(&question, STEPS);
        let question: Vec<i16> = steps.map(|step| step as i16).collect();
        let mut best: BinaryHeap<Reverse<NearestChunk>> =
            BinaryHeap::with_capacity(most.min(self.chunks.len()) + 1);
        let rows = self.numbers.chunks_exact(self.dims.max(1));
        for ((row, own), chunk) in rows.zip(&self.scales).zip(&self.chunks) {
            let near = NearestChunk { score: dot(&question, row) as f32 * scale * own, chunk: *chunk };
            if best.len() < most {
                best.push(Reverse(near));
            } else if best.peek().is_some_and(|Reverse(worst)| near > *worst) {
                best.pop();
                best.push(Reverse(near));
            }
        }
        // Ascending in the reverse order: nearest first.
        best.into_sorted_vec().into_iter().map(|Reverse(near)| (near.chunk, near.score)).collect()
    }
}

fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn dot(one: &[i16], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(one, other)| i32::from(*one) * i32::from(*other)).sum()
}
