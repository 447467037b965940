//! Finding by meaning: a model that turns words into vectors, where they are kept, and the search over them.

use async_trait::async_trait;
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Millis;

use super::{ChunkHit, DocumentChunk, StoreError};

/// The model that makes vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingModel {
    /// Its name, with all that makes its vectors other ones: vectors are kept under it, and only those of one name are
    /// compared.
    pub name: String,
    /// Numbers of each vector; at most [`EmbeddingModel::DIMS_MAX`].
    pub dims: u32,
    /// The most characters of one text that it takes; what is longer is cut there.
    pub max_input: u32,
}

impl EmbeddingModel {
    /// The most numbers of a vector: the score of two is computed without overflow up to it.
    pub const DIMS_MAX: u32 = 8_192;
}

/// What a text is to the model; some tell the two apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EmbeddingKind {
    /// What is found.
    Document,
    /// What is asked.
    Question,
}

/// Why there are no vectors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EmbeddingError {
    /// What is wrong and how to fix it, for people; it holds no secret.
    pub message: String,
    /// The texts are what is wrong: another text may do.
    pub is_about_text: bool,
    /// It may do later.
    pub is_passing: bool,
    /// How long the server asks to wait.
    pub retry_after: Option<Millis>,
}

/// Turns texts into vectors.
///
/// Contract: as many vectors as texts, in their order, each with as many finite numbers as the model says; one attempt,
/// nothing is retried inside; dropping the future ends the call.
///
/// ```
/// # use entracte_application::samples::example::*;
/// use async_trait::async_trait;
/// use entracte_application::ports::{EmbeddingKind, EmbeddingModel, Embeddings, EmbeddingsError};
///
/// /// Letters and spaces: what a test needs of a meaning.
/// struct Lengths;
///
/// #[async_trait]
/// impl Embeddings for Lengths {
///     fn model(&self) -> EmbeddingModel {
///         EmbeddingModel { name: "lengths".to_owned(), dims: 2, max_input: 1_000 }
///     }
///     fn batch(&self) -> u32 {
///         16
///     }
///     async fn embed(&self, _: EmbeddingKind, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingsError> {
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
    /// The model.
    fn model(&self) -> EmbeddingModel;

    /// The most texts of one call.
    fn batch(&self) -> u32;

    /// The vectors of these texts.
    ///
    /// # Errors
    /// One [`EmbeddingError`] for the whole call; there are no vectors of some of the texts. Where
    /// [`is_about_text`](EmbeddingsError::is_about_text) says so other texts may do, where
    /// [`is_passing`](EmbeddingsError::is_passing) does the same ones later, after `retry_after` where there is one;
    /// else the settings are wrong.
    async fn embed(&self, kind: EmbeddingKind, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError>;
}

/// A vector in small numbers: each is about `scale` times its byte, which counts from -127 to 127.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedVector {
    /// What one step is worth.
    pub scale: f32,
    /// One byte for each number, two's complement.
    pub bytes: Vec<u8>,
}

/// The vector of a chunk that is written.
#[derive(Clone, Debug, PartialEq)]
pub struct NewChunkVector {
    /// [`DocumentChunk::number`].
    pub chunk: u64,
    /// Hash of the text that it was made of.
    pub digest: Digest,
    /// The vector.
    pub vector: QuantizedVector,
}

/// How much of a workspace can be found by meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VectorCoverage {
    /// Its chunks.
    pub chunks: u64,
    /// Those with a vector of the model.
    pub vectors: u64,
}

/// Keeps the vectors of chunks, beside [`KnowledgeStore`](super::KnowledgeStore).
///
/// Contract: a vector goes with its chunk, in the same transaction; the vectors of an unchanged text stay when its document
/// is replaced. Whenever vectors are kept, [`Library::revision`](super::Library::revision) is another one. A workspace is a
/// wall. Any process may write.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{MockVectorStore, NewVector, SmallVector, VectorStore};
/// use entracte_application::system::sha256;
///
/// let mut store = MockVectorStore::new();
/// store.expect_without_vector().returning(|_, _, _, _| Ok(vec![samples::chunk()]));
/// store.expect_keep().returning(|_, _, vectors| Ok(vectors.len() as u64));
///
/// let home = samples::workspace();
/// let mut made = Vec::new();
/// for chunk in store.without_vector(&home, "lengths", 0, 10).await? {
///     let vector = SmallVector { scale: 0.5, bytes: vec![34, 6] };
///     made.push(NewVector { chunk: chunk.number, digest: sha256(chunk.text.as_bytes()), vector });
/// }
/// assert_eq!(store.keep(&home, "lengths", made).await?, 1);
/// # Ok(()) });
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be used now, [`StoreError::Inconsistent`] when a row of it
/// cannot be read or what is to be kept breaks a rule of it. What is not there is no error: it is none, an empty
/// list, `false` or 0. What writes has written nothing then, unless a server was lost in the middle of it: asked
/// again, it keeps the same vectors in their own place.
///
/// # Cancel safety
/// A method that writes and is dropped has written all of it or nothing; readings leave nothing behind.
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

    /// The vectors of that model whose chunks' numbers follow `after`, by number, at most `limit`.
    async fn vectors(
        &self,
        workspace: &WorkspaceKey,
        model: &str,
        after: u64,
        limit: u32,
    ) -> Result<Vec<(u64, QuantizedVector)>, StoreError>;

    /// The vectors of that model that were made of texts with these hashes, each hash at most once.
    async fn vectors_by_text_hash(
        &self,
        workspace: &WorkspaceKey,
        model: &str,
        digests: &[Digest],
    ) -> Result<Vec<(Digest, QuantizedVector)>, StoreError>;

    /// Keeps vectors, all or none; those of chunks that are gone, or of another workspace, are left out. Gives how many
    /// are kept.
    async fn write_vectors(
        &self,
        workspace: &WorkspaceKey,
        model: &str,
        vectors: Vec<NewChunkVector>,
    ) -> Result<u64, StoreError>;

    /// Removes the vectors of every other model; gives how many.
    async fn delete_other_models(&self, workspace: &WorkspaceKey, model: &str) -> Result<u64, StoreError>;

    /// How many chunks there are, and how many of them have a vector of that model.
    async fn vector_coverage(
        &self,
        workspace: &WorkspaceKey,
        model: &str,
    ) -> Result<VectorCoverage, StoreError>;
}

/// What was found by meaning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SemanticHits {
    /// The chunks, the best first.
    pub hits: Vec<ChunkHit>,
    /// Chunks that cannot be found by meaning yet.
    pub left: u64,
}

/// Why nothing was found by meaning; what is found by words stands all the same.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SemanticRetrievalError {
    /// The model gave no vector.
    #[error(transparent)]
    Embeddings(#[from] EmbeddingError),
    /// The vectors of the workspace do not fit into the memory that they may use.
    #[error("the vectors need {needs} bytes of memory, but embeddings.memory_bytes allows {most}")]
    TooLarge {
        /// What they need.
        needs: u64,
        /// What they may have.
        most: u64,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Finds chunks by what they mean.
///
/// Contract: the hits are of this workspace and there now; the best first, at most `limit`; a failure is told, and hinders
/// no search by words.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{Hit, MockSemanticRetriever, Semantic, SemanticHits};
///
/// let mut semantic = MockSemanticRetriever::new();
/// semantic.expect_hits().returning(|_, _, _| {
///     Ok(SemanticHits { hits: vec![Hit { chunk: samples::chunk(), score: 0.8 }], left: 0 })
/// });
/// let found = semantic.hits(&samples::workspace(), "When can I have a bath?", 5).await?;
/// assert_eq!(found.hits[0].chunk.text, "The spa opens at noon.");
/// # Ok(()) });
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait SemanticRetriever: Send + Sync {
    /// The chunks that mean most nearly what is asked.
    ///
    /// # Errors
    /// [`SemanticRetrievalError::EmbeddingClient`] when the question got no vector, [`SemanticRetrievalError::TooLarge`] when the vectors
    /// need more memory than they may have, [`SemanticRetrievalError::Store`] when rows cannot be read. Whoever searches goes
    /// on by words alone, and says so.
    async fn search_chunks(
        &self,
        workspace: &WorkspaceKey,
        question: &str,
        limit: u32,
    ) -> Result<SemanticHits, SemanticRetrievalError>;
}
