//! Creates missing vectors in batches. Each batch is stored before the next is requested, so an interrupted run
//! resumes where it stopped.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Millis;
use tokio::sync::Mutex;

use super::quantization::quantize_vector;
use super::text::embedding_text;
use crate::ports::{
    Clock, DocumentChunk, EmbeddingClient, EmbeddingError, EmbeddingKind, NewChunkVector, QuantizedVector,
    SemanticRetrievalError, VectorCoverage, VectorStore,
};
use crate::system::sha256;

/// The maximum number of attempts per batch, if a later one may succeed.
const TRIES: u32 = 4;
/// The delay after the first attempt; it doubles with each further one.
const WAIT: Millis = Millis::seconds(1);
/// The maximum delay, whatever the server requests.
const WAIT_MAX: Millis = Millis::seconds(60);
/// The number of consecutive refused texts, without an accepted one, after which the texts are not the cause.
const REFUSED_MAX: u32 = 3;

/// The result of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmbeddingReport {
    /// The number of vectors created by the model.
    pub made: u64,
    /// The number of vectors reused from equal texts.
    pub known: u64,
    /// The number of texts the model refused; only keyword search finds them.
    pub refused: u64,
    /// The number of deleted vectors of other models.
    pub forgotten: u64,
}

/// Creates the missing vectors of workspaces.
pub struct KnowledgeEmbedder {
    embeddings: Arc<dyn EmbeddingClient>,
    vectors: Arc<dyn VectorStore>,
    clock: Arc<dyn Clock>,
    /// Allows one run at a time: a second one finds nothing left to do, instead of requesting the same texts.
    turn: Mutex<()>,
}

/// Texts without a vector by hash, each with the chunks that contain it.
type MissingVectors = BTreeMap<Digest, (String, Vec<u64>)>;

impl KnowledgeEmbedder {
    /// Creates the embedder over these ports.
    pub fn new(
        embeddings: Arc<dyn EmbeddingClient>,
        vectors: Arc<dyn VectorStore>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { embeddings, vectors, clock, turn: Mutex::default() }
    }

    /// Creates all missing vectors, and reports their number after each batch. At the end the vectors of other models
    /// are deleted, because nothing uses them.
    ///
    /// # Errors
    /// When the model or the store fails; vectors created until then are stored.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        told: &(dyn Fn(VectorCoverage) + Sync),
    ) -> Result<EmbeddingReport, SemanticRetrievalError> {
        let _turn = self.turn.lock().await;
        let model = self.embeddings.model();
        let (mut filled, mut after) = (EmbeddingReport::default(), 0);
        loop {
            let chunks = self
                .vectors
                .chunks_without_vector(workspace, &model.name, after, self.embeddings.batch().max(1))
                .await?;
            let Some(last) = chunks.last() else { break };
            after = last.number;
            self.batch(workspace, &chunks, &mut filled).await?;
            told(self.vectors.vector_coverage(workspace, &model.name).await?);
        }
        filled.forgotten = self.vectors.delete_other_models(workspace, &model.name).await?;
        Ok(filled)
    }

    async fn batch(
        &self,
        workspace: &WorkspaceKey,
        chunks: &[DocumentChunk],
        filled: &mut EmbeddingReport,
    ) -> Result<(), SemanticRetrievalError> {
        let model = self.embeddings.model();
        let mut wanted = MissingVectors::new();
        for chunk in chunks {
            let text = embedding_text(chunk, &model);
            let digest = sha256(text.as_bytes());
            wanted.entry(digest).or_insert_with(|| (text, Vec::new())).1.push(chunk.number);
        }
        let digests: Vec<Digest> = wanted.keys().cloned().collect();
        let known = self.vectors.vectors_by_text_hash(workspace, &model.name, &digests).await?;
        let mut kept = Vec::new();
        for (digest, vector) in known {
            if let Some((_, chunks)) = wanted.remove(&digest) {
                filled.known += count(&chunks);
                kept.extend(rows(&digest, &chunks, &vector));
            }
        }
        let made = self.embed_texts(&wanted).await;
        let (made, fault) = match made {
            Ok(made) => (made, None),
            Err((made, fault)) => (made, Some(fault)),
        };
        let done: BTreeSet<&Digest> = made.iter().map(|(digest, _)| digest).collect();
        let left = wanted.iter().filter(|(digest, _)| !done.contains(digest));
        filled.refused += left.map(|(_, (_, chunks))| count(chunks)).sum::<u64>();
        for (digest, vector) in &made {
            if let Some((_, chunks)) = wanted.get(digest) {
                filled.made += count(chunks);
                kept.extend(rows(digest, chunks, vector));
            }
        }
        if !kept.is_empty() {
            self.vectors.write_vectors(workspace, &model.name, kept).await?;
        }
        fault.map_or(Ok(()), |fault| Err(fault.into()))
    }

    /// The vectors of these texts, without refused ones; on a failure, those created before it.
    async fn embed_texts(
        &self,
        wanted: &MissingVectors,
    ) -> Result<Vec<(Digest, QuantizedVector)>, (Vec<(Digest, QuantizedVector)>, EmbeddingError)> {
        let texts: Vec<String> = wanted.values().map(|(text, _)| text.clone()).collect();
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        match self.request_embeddings(&texts).await {
            Ok(vectors) => Ok(wanted.keys().cloned().zip(vectors).collect()),
            Err(fault) if fault.is_about_text => self.one_by_one(wanted).await,
            Err(fault) => Err((Vec::new(), fault)),
        }
    }

    /// Requests one text at a time, because the server does not say which one it refuses.
    async fn one_by_one(
        &self,
        wanted: &MissingVectors,
    ) -> Result<Vec<(Digest, QuantizedVector)>, (Vec<(Digest, QuantizedVector)>, EmbeddingError)> {
        let (mut made, mut refused) = (Vec::new(), 0);
        for (digest, (text, _)) in wanted {
            match self.request_embeddings(std::slice::from_ref(text)).await {
                Ok(vectors) => made.extend(vectors.into_iter().map(|vector| (digest.clone(), vector))),
                Err(fault) if fault.is_about_text => {
                    refused += 1;
                    if made.is_empty() && refused >= REFUSED_MAX {
                        return Err((made, fault));
                    }
                }
                Err(fault) => return Err((made, fault)),
            }
        }
        Ok(made)
    }

    /// Requests the vectors of these texts, with retries if a later attempt may succeed.
    async fn request_embeddings(&self, texts: &[String]) -> Result<Vec<QuantizedVector>, EmbeddingError> {
        let mut wait = WAIT;
        for _ in 1..TRIES {
            match self.once(texts).await {
                Err(fault) if fault.is_passing => {
                    let span = fault.retry_after.map_or(wait, |asked| asked.max(wait)).min(WAIT_MAX);
                    self.clock.sleep(span).await;
                    wait = Millis(wait.0.saturating_mul(2));
                }
                answered => return answered,
            }
        }
        self.once(texts).await
    }

    async fn once(&self, texts: &[String]) -> Result<Vec<QuantizedVector>, EmbeddingError> {
        let vectors = self.embeddings.embed(EmbeddingKind::Document, texts).await?;
        // A text without a direction, such as one of blanks, counts as refused by the model.
        let without = || EmbeddingError {
            message: "the model gave a vector without a direction".to_owned(),
            is_about_text: true,
            is_passing: false,
            retry_after: None,
        };
        vectors.iter().map(|vector| quantize_vector(vector).ok_or_else(without)).collect()
    }
}

fn rows<'a>(
    digest: &'a Digest,
    chunks: &'a [u64],
    vector: &'a QuantizedVector,
) -> impl Iterator<Item = NewChunkVector> + 'a {
    chunks.iter().map(|chunk| NewChunkVector {
        chunk: *chunk,
        digest: digest.clone(),
        vector: vector.clone(),
    })
}

fn count(chunks: &[u64]) -> u64 {
    u64::try_from(chunks.len()).unwrap_or(u64::MAX)
}
