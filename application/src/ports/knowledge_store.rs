//! What a workspace knows: its documents, cut into chunks that can be found.

use async_trait::async_trait;
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::StoreError;

entracte_domain::words! {
    /// What a document was before it was taken in.
    pub enum DocumentFormat {
        /// Markdown.
        Markdown = "markdown",
        /// Plain text.
        Text = "text",
        /// A web page; kept as Markdown.
        Html = "html",
        /// A PDF; its text is kept.
        Pdf = "pdf",
        /// Rows with a head; kept as an array of objects.
        Csv = "csv",
        /// JSON; kept as it is.
        Json = "json",
    }
}

impl DocumentFormat {
    /// Whether it is read by path and filter, and kept whole as JSON.
    pub const fn is_structured(self) -> bool {
        match self {
            Self::Csv | Self::Json => true,
            Self::Markdown | Self::Text | Self::Html | Self::Pdf => false,
        }
    }
}

/// A document of a workspace, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnowledgeDocument {
    /// `doc_…`; stays when the document is replaced.
    pub id: String,
    /// What it is called in its workspace; one document has it.
    pub name: String,
    /// What to cite: the path or address that it came from.
    pub source: String,
    /// What it was.
    pub format: DocumentFormat,
    /// Its first heading, or its name.
    pub title: String,
    /// The language that it is indexed in, of two letters.
    pub language: String,
    /// SHA-256 of what was taken in, before it was converted.
    pub digest: Digest,
    /// Bytes of its text, as it is kept.
    pub bytes: u64,
    /// How many chunks it has.
    pub chunks: u32,
    /// Who added it.
    pub author: String,
    /// When it was added.
    pub added_at: Timestamp,
    /// When its text was last another one.
    pub changed_at: Timestamp,
}

/// A piece of a document, as it is found and read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentChunk {
    /// Its number in the database, which no other chunk gets; a copy of the database keeps it.
    pub number: u64,
    /// Whose it is: [`KnowledgeDocument::id`].
    pub document: String,
    /// Its place in the document, from 0.
    pub ordinal: u32,
    /// The headings above it, from the outermost.
    pub heading: Vec<String>,
    /// Its text.
    pub text: String,
    /// Where it begins in the text of its document, in bytes; in a structured one, its first record.
    pub start: u64,
    /// Where it ends, which is not in it.
    pub end: u64,
}

/// A chunk that is written, with the terms that it is found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDocumentChunk {
    /// The headings above it.
    pub heading: Vec<String>,
    /// Its text.
    pub text: String,
    /// See [`DocumentChunk::start`].
    pub start: u64,
    /// See [`DocumentChunk::end`].
    pub end: u64,
    /// The terms of its headings, in order; letters and digits only.
    pub heading_terms: Vec<String>,
    /// The terms of its text, in order; letters and digits only.
    pub terms: Vec<String>,
}

/// A document that is written, with all that is kept of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKnowledgeDocument {
    /// The document. Where one of its name is there, that one's `id`, `added_at` and place stay.
    pub document: KnowledgeDocument,
    /// All of it as JSON, of a structured one only; the text of another is its chunks.
    pub body: Option<String>,
    /// Its chunks, in order. Those of a text cover all of it.
    pub chunks: Vec<NewDocumentChunk>,
}

/// What became of a document that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentWriteOutcome {
    /// It is there; it was not before.
    Added(KnowledgeDocument),
    /// It stands in the place of the one of its name.
    Replaced(KnowledgeDocument),
    /// The workspace has as many as it may have; nothing was written.
    Full,
}

/// All that a workspace knows, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnowledgeStatistics {
    /// Documents.
    pub documents: u64,
    /// Chunks of all of them.
    pub chunks: u64,
    /// Terms of all chunks, each as often as it stands there.
    pub terms: u64,
    /// Counts the documents that were written or removed: the same number, the same chunks.
    pub revision: u64,
    /// The languages that its documents are indexed in, each once, in order.
    pub languages: Vec<String>,
}

/// Which chunks are looked for, by finished terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChunkQuery {
    /// Those that have, of each list, at least one.
    All(Vec<Vec<String>>),
    /// Those that have at least one of these.
    Any(Vec<String>),
}

/// A chunk that matches, with its terms, so that it can be scored alike on every database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkCandidate {
    /// The chunk.
    pub chunk: DocumentChunk,
    /// The terms of its headings.
    pub heading_terms: Vec<String>,
    /// The terms of its text.
    pub terms: Vec<String>,
}

/// A chunk that was found, and how well it fits; what is found by words and by meaning is fused as these.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkHit {
    /// The chunk.
    pub chunk: DocumentChunk,
    /// How well it fits; comparable only with the others of the same search.
    pub score: f64,
}

/// Keeps the documents of workspaces, with the index of their chunks.
///
/// Contract: a document is written whole or not at all, with its chunks, its index rows and the counts of its terms, and
/// removed likewise. Any process may write, also beside the owner: nothing of a session depends on it. A workspace is a
/// wall, inside the index too: what is found is found in its own workspace only, and the terms of another change no count
/// of this one.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{KnowledgeStore, MockKnowledgeStore};
/// use entracte_domain::id::WorkspaceKey;
///
/// let mut store = MockKnowledgeStore::new();
/// store.expect_document().returning(|workspace, which| {
///     let is_known = *workspace == samples::workspace() && which == "spa.md";
///     Ok(is_known.then(samples::document))
/// });
/// assert_eq!(store.document(&samples::workspace(), "spa.md").await?, Some(samples::document()));
/// let other = WorkspaceKey::new("bob:home");
/// assert_eq!(store.document(&other, "spa.md").await?, None, "a workspace is a wall");
/// # Ok(()) });
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be used now, [`StoreError::Inconsistent`] when a row of it
/// cannot be read or what is to be kept breaks a rule of it. What is not there is no error: it is none, an empty
/// list, `false` or 0. What writes has written nothing then, unless a server was lost in the middle of it: asked
/// again with the same document, it finds itself.
///
/// # Cancel safety
/// A method that writes and is dropped has written all of it or nothing; readings leave nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait KnowledgeStore: Send + Sync {
    /// Writes a document in the place of the one of its name, where there is one; a workspace that has `most` documents
    /// already gets no other one.
    async fn write_document(
        &self,
        workspace: &WorkspaceKey,
        document: NewKnowledgeDocument,
        most: u64,
    ) -> Result<DocumentWriteOutcome, StoreError>;

    /// Removes a document by its id, with all that is kept of it; gives whether it was there.
    async fn remove(&self, workspace: &WorkspaceKey, id: &str) -> Result<bool, StoreError>;

    /// The documents whose names follow `after`, by name, at most `limit`.
    async fn documents(
        &self,
        workspace: &WorkspaceKey,
        after: Option<String>,
        limit: u32,
    ) -> Result<Vec<KnowledgeDocument>, StoreError>;

    /// The document of an id or a name; an id comes first.
    async fn document(
        &self,
        workspace: &WorkspaceKey,
        which: &str,
    ) -> Result<Option<KnowledgeDocument>, StoreError>;

    /// The JSON of a structured document, by its id; none for another.
    async fn body(&self, workspace: &WorkspaceKey, id: &str) -> Result<Option<String>, StoreError>;

    /// The chunks of a document that end after `from` ([`DocumentChunk::end`]), in order, at most `limit`.
    async fn chunks(
        &self,
        workspace: &WorkspaceKey,
        id: &str,
        from: u64,
        limit: u32,
    ) -> Result<Vec<DocumentChunk>, StoreError>;

    /// The chunks of these numbers that are there, in no order.
    async fn chunks_by_number(
        &self,
        workspace: &WorkspaceKey,
        numbers: &[u64],
    ) -> Result<Vec<DocumentChunk>, StoreError>;

    /// The chunks of the workspace whose numbers follow `after`, by number, at most `limit`.
    async fn chunks_after(
        &self,
        workspace: &WorkspaceKey,
        after: u64,
        limit: u32,
    ) -> Result<Vec<DocumentChunk>, StoreError>;

    /// What the workspace has, in numbers.
    async fn library(&self, workspace: &WorkspaceKey) -> Result<KnowledgeStatistics, StoreError>;

    /// In how many chunks each of these terms stands; those that stand in none are left out.
    async fn frequencies(
        &self,
        workspace: &WorkspaceKey,
        terms: &[String],
    ) -> Result<Vec<(String, u64)>, StoreError>;

    /// The chunks that match, those first that the database ranks first, at most `limit`.
    async fn search_chunks(
        &self,
        workspace: &WorkspaceKey,
        wanted: &ChunkQuery,
        limit: u32,
    ) -> Result<Vec<ChunkCandidate>, StoreError>;
}
