//! Answers semantic queries. The vectors of a workspace are read on its first query, compared in memory, and evicted
//! after a time without queries.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;
use tokio::sync::Mutex;

use super::text::cut;
use super::vector_index::VectorIndex;
use crate::ports::{
    ChunkHit, Clock, DocumentChunk, EmbeddingClient, EmbeddingError, EmbeddingKind, EmbeddingModel,
    KnowledgeStore, SemanticHits, SemanticRetrievalError, SemanticRetriever, StoreError, VectorStore,
};

/// The number of vectors read per page.
const PAGE: u32 = 5_000;

/// The limits on memory and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemanticSearchLimits {
    /// The maximum bytes of vectors cached for all workspaces together; a workspace that alone exceeds it is not
    /// searched.
    pub memory_bytes: u64,
    /// How long the vectors of a workspace are cached after its last query.
    pub keep: Millis,
    /// The time limit for embedding a query.
    pub patience: Millis,
}

impl Default for SemanticSearchLimits {
    fn default() -> Self {
        Self { memory_bytes: 512 << 20, keep: Millis::minutes(10), patience: Millis::seconds(10) }
    }
}

/// The semantic search.
pub struct SemanticSearch {
    embeddings: Arc<dyn EmbeddingClient>,
    vectors: Arc<dyn VectorStore>,
    knowledge: Arc<dyn KnowledgeStore>,
    clock: Arc<dyn Clock>,
    terms: SemanticSearchLimits,
    shelf: Arc<Mutex<VectorIndexCache>>,
}

/// The cached vectors.
#[derive(Default)]
struct VectorIndexCache {
    held: BTreeMap<WorkspaceKey, CachedVectorIndex>,
    /// Whether an eviction task is running.
    is_swept: bool,
}

struct CachedVectorIndex {
    /// The revision of the knowledge when they were read.
    revision: u64,
    nearest: Arc<VectorIndex>,
    left: u64,
    asked: Millis,
}

impl SemanticSearch {
    /// Creates the search over these ports.
    pub fn new(
        embeddings: Arc<dyn EmbeddingClient>,
        vectors: Arc<dyn VectorStore>,
        knowledge: Arc<dyn KnowledgeStore>,
        clock: Arc<dyn Clock>,
        terms: SemanticSearchLimits,
    ) -> Self {
        Self { embeddings, vectors, knowledge, clock, terms, shelf: Arc::default() }
    }

    /// The vectors of a workspace, read if they are missing or outdated. One workspace is read at a time, so that
    /// concurrent queries do not read the same vectors twice.
    async fn nearest(
        &self,
        workspace: &WorkspaceKey,
        model: &EmbeddingModel,
        revision: u64,
    ) -> Result<(Arc<VectorIndex>, u64), SemanticRetrievalError> {
        let mut shelf = self.shelf.lock().await;
        let now = self.clock.monotonic();
        if let Some(held) = shelf.held.get_mut(workspace).filter(|held| held.revision == revision) {
            held.asked = now;
            return Ok((held.nearest.clone(), held.left));
        }
        shelf.held.remove(workspace);
        let tally = self.vectors.vector_coverage(workspace, &model.name).await?;
        let left = tally.chunks.saturating_sub(tally.vectors);
        let (needs, most) = (VectorIndex::required_bytes(model.dims, tally.vectors), self.terms.memory_bytes);
        if needs > most {
            return Err(SemanticRetrievalError::TooLarge { needs, most });
        }
        let nearest = Arc::new(self.read(workspace, model, tally.vectors).await?);
        let held = CachedVectorIndex { revision, nearest: nearest.clone(), left, asked: now };
        shelf.held.insert(workspace.clone(), held);
        shelf.shrink(most, workspace);
        self.sweep(&mut shelf);
        Ok((nearest, left))
    }

    async fn read(
        &self,
        workspace: &WorkspaceKey,
        model: &EmbeddingModel,
        count: u64,
    ) -> Result<VectorIndex, StoreError> {
        let (mut nearest, mut after) = (VectorIndex::new(model.dims, count), 0);
        loop {
            let page = self.vectors.vectors(workspace, &model.name, after, PAGE).await?;
            let Some((last, _)) = page.last() else { return Ok(nearest) };
            after = *last;
            page.iter().for_each(|(chunk, vector)| nearest.push(*chunk, vector));
        }
    }

    /// Starts the eviction of unused workspaces.
    fn sweep(&self, shelf: &mut VectorIndexCache) {
        if shelf.is_swept {
            return;
        }
        shelf.is_swept = true;
        let (kept, clock) = (Arc::downgrade(&self.shelf), self.clock.clone());
        let keep = self.terms.keep.max(Millis::seconds(1));
        tokio::spawn(async move {
            loop {
                clock.sleep(keep).await;
                let Some(shelf) = kept.upgrade() else { return };
                let mut shelf = shelf.lock().await;
                let now = clock.monotonic();
                shelf.held.retain(|_, held| now.0.saturating_sub(held.asked.0) < keep.0);
                if shelf.held.is_empty() {
                    shelf.is_swept = false;
                    return;
                }
            }
        });
    }

    async fn vector_of(&self, question: &str, model: &EmbeddingModel) -> Result<Vec<f32>, EmbeddingError> {
        let failed = |message: String, is_passing| EmbeddingError {
            message,
            is_about_text: false,
            is_passing,
            retry_after: None,
        };
        let texts = [cut(question, model)];
        let seconds = self.terms.patience.0 / 1_000;
        let vectors = tokio::select! {
            biased;
            vectors = self.embeddings.embed(EmbeddingKind::Question, &texts) => vectors?,
            () = self.clock.sleep(self.terms.patience) => {
                return Err(failed(format!("{} gave no vector within {seconds} s", model.name), true));
            }
        };
        vectors.into_iter().next().ok_or_else(|| failed(format!("{} gave no vector", model.name), false))
    }
}

impl VectorIndexCache {
    /// Evicts the least recently queried workspaces until the rest fits, except the newest.
    fn shrink(&mut self, most: u64, newest: &WorkspaceKey) {
        while self.held.values().map(|held| held.nearest.bytes()).sum::<u64>() > most {
            let others = self.held.iter().filter(|(key, _)| *key != newest);
            let Some(oldest) = others.min_by_key(|(_, held)| held.asked).map(|(key, _)| key.clone()) else {
                return;
            };
            self.held.remove(&oldest);
        }
    }
}

#[async_trait]
impl SemanticRetriever for SemanticSearch {
    async fn search_chunks(
        &self,
        workspace: &WorkspaceKey,
        question: &str,
        limit: u32,
    ) -> Result<SemanticHits, SemanticRetrievalError> {
        let model = self.embeddings.model();
        let revision = self.knowledge.library(workspace).await?.revision;
        let (nearest, left) = self.nearest(workspace, &model, revision).await?;
        if nearest.is_empty() {
            return Ok(SemanticHits { hits: Vec::new(), left });
        }
        let asked = self.vector_of(question, &model).await?;
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let best = tokio::task::spawn_blocking(move || nearest.search(&asked, most)).await;
        let best = best
            .map_err(|fault| StoreError::Inconsistent(format!("vectors could not be compared: {fault}")))?;
        let numbers: Vec<u64> = best.iter().map(|(number, _)| *number).collect();
        let chunks = self.knowledge.chunks_by_number(workspace, &numbers).await?;
        let mut chunks: BTreeMap<u64, DocumentChunk> =
            chunks.into_iter().map(|chunk| (chunk.number, chunk)).collect();
        let hits = best.into_iter().filter_map(|(number, score)| {
            Some(ChunkHit { chunk: chunks.remove(&number)?, score: f64::from(score) })
        });
        Ok(SemanticHits { hits: hits.collect(), left })
    }
}
