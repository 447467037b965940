//! Offline embeddings of a rehearsal: character n-grams hashed into a few dimensions. Words with similar spelling are
//! near each other; meaning is not represented.

use async_trait::async_trait;
use entracte_application::ports::{EmbeddingClient, EmbeddingError, EmbeddingKind, EmbeddingModel};

use crate::embedder::EmbeddingsConfig;

/// Lengths of the n-grams, in letters.
const PIECES: std::ops::RangeInclusive<usize> = 3..=5;

/// Embeddings client of a rehearsal.
pub(crate) struct CharacterNgramEmbeddings(pub(crate) EmbeddingsConfig);

#[async_trait]
impl EmbeddingClient for CharacterNgramEmbeddings {
    fn model(&self) -> EmbeddingModel {
        self.0.embedding_model()
    }

    fn batch(&self) -> u32 {
        self.0.batch
    }

    async fn embed(&self, _: EmbeddingKind, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        Ok(texts.iter().map(|text| vector(text, self.0.dims)).collect())
    }
}

fn vector(text: &str, dims: u32) -> Vec<f32> {
    let mut counts = vec![0.0; usize::try_from(dims).unwrap_or(usize::MAX)];
    let lower = text.to_lowercase();
    for word in lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let letters: Vec<char> = format!("^{word}$").chars().collect();
        for length in PIECES {
            for piece in letters.windows(length.min(letters.len())) {
                let place = usize::try_from(hash(piece) % u64::from(dims.max(1))).unwrap_or_default();
                if let Some(count) = counts.get_mut(place) {
                    *count += 1.0;
                }
            }
        }
    }
    counts
}

/// FNV-1a hash.
fn hash(piece: &[char]) -> u64 {
    piece.iter().fold(0xcbf2_9ce4_8422_2325, |hash, letter| {
        (hash ^ u64::from(u32::from(*letter))).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_spellings_are_near() {
        let near = |one: &str, other: &str| -> f32 {
            vector(one, 256).iter().zip(vector(other, 256)).map(|(a, b)| a * b).sum()
        };
        assert!(near("invoice", "invoices") > 3.0 * near("invoice", "holiday"));
        assert_eq!(vector("a b", 16).iter().sum::<f32>(), 6.0, "each short word counts once for each length");
        assert_eq!(vector(" ", 4), [0.0; 4]);
    }
}
