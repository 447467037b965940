//! Semantic search: the embedding model, the store of its vectors, and the search over them.

use async_trait::async_trait;
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Millis;

use super::{ChunkHit, DocumentChunk, StoreError};

/// An embedding model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingModel {
    /// Its name with all settings that affect its vectors: vectors are stored under it, and only vectors of the same
    /// name are compared.
    pub name: String,
    /// The number of dimensions; at most [`EmbeddingModel::DIMS_MAX`].
    pub dims: u32,
    /// The maximum characters of one text; longer texts are truncated.
    pub max_input: u32,
}

impl EmbeddingModel {
    /// The maximum number of dimensions: up to it the score of two vectors is computed without overflow.
    pub const DIMS_MAX: u32 = 8_192;
}

/// The role of a text for the model; some models distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EmbeddingKind {
    /// A text to be found.
    Document,
    /// A search query.
    Question,
}

/// Why texts could not be embedded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EmbeddingError {
    /// The cause and how to fix it, for people; it contains no secret.
    pub message: String,
    /// Whether the texts are the cause: other texts may succeed.
    pub is_about_text: bool,
    /// Whether the failure is temporary: a later attempt may succeed.
    pub is_passing: bool,
    /// The delay the server requests before a retry.
    pub retry_after: Option<Millis>,
}

/// Converts texts to embedding vectors.
///
/// Contract: it returns one vector per text, in their order, each with as many finite numbers as the model states;
/// each call is one attempt without internal retries; dropping the future aborts the call.
///
/// ```
/// # use entracte_application::samples::example::*;
/// use async_trait::async_trait;
/// use entracte_application::ports::{EmbeddingClient, EmbeddingError, EmbeddingKind, EmbeddingModel};
///
/// /// Embeds a text as its length and its number of spaces.
/// struct Lengths;
///
/// #[async_trait]
/// impl EmbeddingClient for Lengths {
///     fn model(&self) -> EmbeddingModel {
///         EmbeddingModel { name: "lengths".to_owned(), dims: 2, max_input: 1_000 }
///     }
///     fn batch(&self) -> u32 {
///         16
///     }
///     async fn embed(&self, _: EmbeddingKind, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
///         let mut vectors = Vec::new();
///         for text in texts {
///             vectors.push(vec![text.len() as f32, text.matches(' ').count() as f32]);
///         }
///         Ok(vectors)
///     }
/// }
///
/// # example(async {
/// let texts = ["It opens at noon.".to_owned(), "Always.".to_owned()];
/// let vectors = Lengths.embed(EmbeddingKind::Document, &texts).await?;
/// assert_eq!(vectors, vec![vec![17.0, 3.0], vec![7.0, 0.0]]);
/// # Ok(()) });
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait EmbeddingClient: Send + Sync {
    /// The embedding model.
    fn model(&self) -> EmbeddingModel;

    /// The maximum number of texts per call.
    fn batch(&self) -> u32;

    /// Embeds these texts.
    ///
    /// # Errors
    /// One [`EmbeddingError`] for the whole call; there are no partial results. If
    /// [`is_about_text`](EmbeddingError::is_about_text), other texts may succeed; if
    /// [`is_passing`](EmbeddingError::is_passing), the same texts may succeed later, after `retry_after` if given;
    /// otherwise the settings are wrong.
    async fn embed(&self, kind: EmbeddingKind, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError>;
}

/// A quantized vector: each number is approximately `scale` times its byte, from -127 to 127.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedVector {
    /// The value of one quantization step.
    pub scale: f32,
    /// One byte per number, in two's complement.
    pub bytes: Vec<u8>,
}

/// The vector of a chunk, to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct NewChunkVector {
    /// The chunk's [`DocumentChunk::number`].
    pub chunk: u64,
    /// The hash of the embedded text.
    pub digest: Digest,
    /// The quantized embedding of the chunk.
    pub vector: QuantizedVector,
}

/// How many chunks of a workspace can be found by semantic search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VectorCoverage {
    /// Number of chunks.
    pub chunks: u64,
    /// Number of chunks with a vector of the model.
    pub vectors: u64,
}

/// Stores the vectors of chunks, beside [`KnowledgeStore`](super::KnowledgeStore).
///
/// Contract: a vector is deleted with its chunk, in the same transaction; the vectors of unchanged text survive when
/// its document is replaced. Writing vectors changes
/// [`KnowledgeStatistics::revision`](super::KnowledgeStatistics::revision). Workspaces are isolated. Any process may
/// write.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{MockVectorStore, NewChunkVector, QuantizedVector, VectorStore};
/// use entracte_application::system::sha256;
///
/// let mut store = MockVectorStore::new();
/// store.expect_chunks_without_vector().returning(|_, _, _, _| Ok(vec![samples::chunk()]));
/// store.expect_write_vectors().returning(|_, _, vectors| Ok(vectors.len() as u64));
///
/// let home = samples::workspace();
/// let mut made = Vec::new();
/// for chunk in store.chunks_without_vector(&home, "lengths", 0, 10).await? {
///     let vector = QuantizedVector { scale: 0.5, bytes: vec![34, 6] };
///     made.push(NewChunkVector { chunk: chunk.number, digest: sha256(chunk.text.as_bytes()), vector });
/// }
/// assert_eq!(store.write_vectors(&home, "lengths", made).await?, 1);
/// # Ok(()) });
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be used now, [`StoreError::Inconsistent`] when a row cannot be
/// read or a value to be stored breaks a constraint. A missing row is not an error: the result is `None`, an empty
/// list, `false` or 0. A failed write has written nothing, unless a server was lost during it: a retry writes the same
/// vectors again.
///
/// # Cancel safety
/// A write whose future is dropped has written everything or nothing; reads leave nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait VectorStore: Send + Sync {
    /// The chunks without a vector of that model whose numbers follow `after`, by number, at most `limit`.
    async fn chunks_without_vector(
        &self,
        workspace: &WorkspaceKey,
        model: &str,
        after: u64,
        limit: u32,
    ) -> Result<Vec<DocumentChunk>, StoreError>;

    /// The vectors of that model whose chunk numbers follow `after`, by number, at most `limit`.
    async fn vectors(
        &self,
        workspace: &WorkspaceKey,
        model: &str,
        after: u64,
        limit: u32,
    ) -> Result<Vec<(u64, QuantizedVector)>, StoreError>;

    /// The vectors of that model for texts with these hashes, each hash at most once.
    async fn vectors_by_text_hash(
        &self,
        workspace: &WorkspaceKey,
        model: &str,
        digests: &[Digest],
    ) -> Result<Vec<(Digest, QuantizedVector)>, StoreError>;

    /// Writes vectors, all or none; vectors of deleted chunks, or of another workspace, are skipped. Returns how many
    /// were written.
    async fn write_vectors(
        &self,
        workspace: &WorkspaceKey,
        model: &str,
        vectors: Vec<NewChunkVector>,
    ) -> Result<u64, StoreError>;

    /// Deletes the vectors of all other models; returns how many.
    async fn delete_other_models(&self, workspace: &WorkspaceKey, model: &str) -> Result<u64, StoreError>;

    /// The number of chunks, and how many of them have a vector of that model.
    async fn vector_coverage(
        &self,
        workspace: &WorkspaceKey,
        model: &str,
    ) -> Result<VectorCoverage, StoreError>;
}

/// The results of a semantic search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SemanticHits {
    /// The chunks found, best first.
    pub hits: Vec<ChunkHit>,
    /// The number of chunks that have no vector yet and cannot be found.
    pub left: u64,
}

/// Why semantic search failed; keyword search is not affected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SemanticRetrievalError {
    /// The model gave no vector for the query.
    #[error(transparent)]
    Embeddings(#[from] EmbeddingError),
    /// The vectors of the workspace exceed the memory limit.
    #[error("the vectors need {needs} bytes of memory, but embeddings.memory_bytes allows {most}")]
    TooLarge {
        /// The bytes they need.
        needs: u64,
        /// The maximum in bytes.
        most: u64,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Finds chunks by their meaning.
///
/// Contract: the hits exist in this workspace at the time of the search, best first, at most `limit`; a failure is
/// reported and does not prevent keyword search.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{ChunkHit, MockSemanticRetriever, SemanticHits, SemanticRetriever};
///
/// let mut semantic = MockSemanticRetriever::new();
/// semantic.expect_search_chunks().returning(|_, _, _| {
///     Ok(SemanticHits { hits: vec![ChunkHit { chunk: samples::chunk(), score: 0.8 }], left: 0 })
/// });
/// let found = semantic.search_chunks(&samples::workspace(), "When can I have a bath?", 5).await?;
/// assert_eq!(found.hits[0].chunk.text, "The spa opens at noon.");
/// # Ok(()) });
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait SemanticRetriever: Send + Sync {
    /// The chunks whose meaning is nearest to the query.
    ///
    /// # Errors
    /// [`SemanticRetrievalError::Embeddings`] when the query could not be embedded,
    /// [`SemanticRetrievalError::TooLarge`] when the vectors exceed the memory limit,
    /// [`SemanticRetrievalError::Store`] when rows cannot be read. Callers continue with keyword search, and report
    /// the failure.
    async fn search_chunks(
        &self,
        workspace: &WorkspaceKey,
        question: &str,
        limit: u32,
    ) -> Result<SemanticHits, SemanticRetrievalError>;
}
