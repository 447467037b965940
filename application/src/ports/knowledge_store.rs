//! The knowledge of a workspace: its documents, split into searchable chunks.

use async_trait::async_trait;
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::{Millis, Timestamp};

use super::{ReadingGaps, StoreError};

entracte_domain::words! {
    /// The original format of a document.
    pub enum DocumentFormat {
        /// Markdown text.
        Markdown = "markdown",
        /// Plain text.
        Text = "text",
        /// A web page; stored as Markdown.
        Html = "html",
        /// A PDF; its text is stored.
        Pdf = "pdf",
        /// Rows with a header; stored as an array of objects.
        Csv = "csv",
        /// JSON; stored unchanged.
        Json = "json",
    }
}

impl DocumentFormat {
    /// Whether the document is stored whole as JSON and read by path and filter.
    pub const fn is_structured(self) -> bool {
        match self {
            Self::Csv | Self::Json => true,
            Self::Markdown | Self::Text | Self::Html | Self::Pdf => false,
        }
    }
}

/// The metadata of a document, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnowledgeDocument {
    /// `doc_…`; unchanged when the document is replaced.
    pub id: String,
    /// The name, unique within its workspace.
    pub name: String,
    /// The source to cite: the path or address it came from.
    pub source: String,
    /// The original format.
    pub format: DocumentFormat,
    /// Its first heading, or its name.
    pub title: String,
    /// The two-letter code of the language it is indexed in.
    pub language: String,
    /// SHA-256 of the original bytes, before conversion.
    pub digest: Digest,
    /// Size of the stored text, in bytes.
    pub bytes: u64,
    /// Number of chunks.
    pub chunks: u32,
    /// The person who added it.
    pub author: String,
    /// When it was added.
    pub added_at: Timestamp,
    /// When its text last changed.
    pub changed_at: Timestamp,
    /// The parts of the original that its text lacks.
    pub gaps: ReadingGaps,
    /// When its text was last read, found or added again; noted at most every [`READ_NOTE_INTERVAL`]. `None` if it never was.
    pub last_read_at: Option<Timestamp>,
}

/// The shortest time between two notes that a document was read, so that a search rarely writes.
pub const READ_NOTE_INTERVAL: Millis = Millis::hours(24);

impl KnowledgeDocument {
    /// When it was last changed or read, as far as it is noted: at most [`READ_NOTE_INTERVAL`] too early.
    pub fn last_used_at(&self) -> Timestamp {
        self.last_read_at.map_or(self.changed_at, |at| at.max(self.changed_at))
    }

    /// Whether a read at this instant has to be noted.
    pub fn needs_read_note(&self, at: Timestamp) -> bool {
        self.last_read_at.is_none_or(|last| last.plus(READ_NOTE_INTERVAL) <= at)
    }
}

/// A piece of a document, the unit of search and reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentChunk {
    /// Its number in the database, never reused; a copy of the database keeps it.
    pub number: u64,
    /// The document it belongs to: [`KnowledgeDocument::id`].
    pub document: String,
    /// Its position in the document, from 0.
    pub ordinal: u32,
    /// The headings above it, outermost first.
    pub heading: Vec<String>,
    /// The text of the chunk.
    pub text: String,
    /// The byte offset in the document's text where it begins; in a structured document, its first record.
    pub start: u64,
    /// The exclusive end, in the unit of `start`.
    pub end: u64,
}

/// A chunk to be written, with its index terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDocumentChunk {
    /// The headings above it, outermost first.
    pub heading: Vec<String>,
    /// The text of the chunk.
    pub text: String,
    /// Same meaning as [`DocumentChunk::start`].
    pub start: u64,
    /// Same meaning as [`DocumentChunk::end`].
    pub end: u64,
    /// The terms of its headings, in order; letters and digits only.
    pub heading_terms: Vec<String>,
    /// The terms of its text, in order; letters and digits only.
    pub terms: Vec<String>,
}

/// A document to be written, with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKnowledgeDocument {
    /// The metadata. If a document of that name exists, its `id`, `added_at`, `last_read_at` and position are preserved.
    /// `last_read_at` of a new one is not stored.
    pub document: KnowledgeDocument,
    /// The whole content as JSON, for structured documents only; other documents store their text in the chunks.
    pub body: Option<String>,
    /// The chunks in order; together the chunks of a text cover all of it.
    pub chunks: Vec<NewDocumentChunk>,
}

/// The result of writing a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentWriteOutcome {
    /// A new document was added.
    Added(KnowledgeDocument),
    /// The document of the same name was replaced.
    Replaced(KnowledgeDocument),
    /// The workspace has reached its maximum number of documents; nothing was written.
    Full,
}

/// The condition under which a document is removed as unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreadDocumentCondition {
    /// It was changed and read before ([`KnowledgeDocument::last_used_at`]).
    pub before: Timestamp,
    /// Its workspace still has this number ([`WorkspaceRow::seq`](super::WorkspaceRow::seq)), `None` if it has no row:
    /// a hold and a changed limit change it.
    pub workspace_seq: Option<u64>,
}

/// The result of removing a document that nobody used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreadRemovalOutcome {
    /// It was removed.
    Removed,
    /// It was used meanwhile, or is gone.
    Kept,
    /// The workspace has another number; nothing was removed.
    WorkspaceChanged,
}

/// The document counts of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnowledgeStatistics {
    /// Number of documents.
    pub documents: u64,
    /// Number of chunks of all documents.
    pub chunks: u64,
    /// Number of terms in all chunks, counting repetitions.
    pub terms: u64,
    /// Incremented whenever a document is written or removed: equal revisions mean equal chunks.
    pub revision: u64,
    /// The index languages of its documents, sorted, without duplicates.
    pub languages: Vec<String>,
}

/// Selects chunks by normalised terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChunkQuery {
    /// Chunks with at least one term of each list.
    All(Vec<Vec<String>>),
    /// Chunks with at least one of these terms.
    Any(Vec<String>),
}

/// A matching chunk with its terms, so that scoring is the same on every database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkCandidate {
    /// The matching chunk.
    pub chunk: DocumentChunk,
    /// The terms of its headings.
    pub heading_terms: Vec<String>,
    /// The terms of its text.
    pub terms: Vec<String>,
}

/// A found chunk with its score; keyword and semantic results are fused in this form.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkHit {
    /// The found chunk.
    pub chunk: DocumentChunk,
    /// The relevance; comparable only within the same search.
    pub score: f64,
}

/// Stores the documents of workspaces, with the index of their chunks.
///
/// Contract: a document is written and removed atomically, with its chunks, index rows and term counts. Any process
/// may write, also beside the owner: session state does not depend on it. Workspaces are isolated, in the index too: a
/// search finds only chunks of its own workspace, and terms of other workspaces do not affect its counts.
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
/// [`StoreError::Unavailable`] when the store cannot be used now, [`StoreError::Inconsistent`] when a row cannot be
/// read or a value to be stored breaks a constraint. A missing row is not an error: the result is `None`, an empty
/// list, `false` or 0. A failed write has written nothing, unless a server was lost during it: a retry with the same
/// document then finds it already written.
///
/// # Cancel safety
/// A write whose future is dropped has written everything or nothing; reads leave nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait KnowledgeStore: Send + Sync {
    /// Adds a document, or replaces the one of the same name; a workspace that already has `most` documents gets no
    /// new ones.
    async fn write_document(
        &self,
        workspace: &WorkspaceKey,
        document: NewKnowledgeDocument,
        most: u64,
    ) -> Result<DocumentWriteOutcome, StoreError>;

    /// Removes a document by its id, with its chunks and index rows; returns whether it existed.
    async fn remove(&self, workspace: &WorkspaceKey, id: &str) -> Result<bool, StoreError>;

    /// Removes a document like [`remove`](Self::remove), if this still applies when it goes: neither a use of the document
    /// nor a hold on the workspace comes in between.
    async fn remove_unread(
        &self,
        workspace: &WorkspaceKey,
        id: &str,
        condition: UnreadDocumentCondition,
    ) -> Result<UnreadRemovalOutcome, StoreError>;

    /// Notes that documents were read, by their ids; a later note stays. Missing documents are no error.
    async fn note_reads(
        &self,
        workspace: &WorkspaceKey,
        ids: &[String],
        at: Timestamp,
    ) -> Result<(), StoreError>;

    /// The documents whose names follow `after`, by name, at most `limit`.
    async fn documents(
        &self,
        workspace: &WorkspaceKey,
        after: Option<String>,
        limit: u32,
    ) -> Result<Vec<KnowledgeDocument>, StoreError>;

    /// Finds a document by id or name; an id has precedence.
    async fn document(
        &self,
        workspace: &WorkspaceKey,
        which: &str,
    ) -> Result<Option<KnowledgeDocument>, StoreError>;

    /// The JSON of a structured document, by its id; `None` for other documents.
    async fn body(&self, workspace: &WorkspaceKey, id: &str) -> Result<Option<String>, StoreError>;

    /// The chunks of a document that end after `from` ([`DocumentChunk::end`]), in order, at most `limit`.
    async fn chunks(
        &self,
        workspace: &WorkspaceKey,
        id: &str,
        from: u64,
        limit: u32,
    ) -> Result<Vec<DocumentChunk>, StoreError>;

    /// The existing chunks among these numbers, in no particular order.
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

    /// The document counts of a workspace.
    async fn library(&self, workspace: &WorkspaceKey) -> Result<KnowledgeStatistics, StoreError>;

    /// The number of chunks that contain each of these terms; terms in no chunk are omitted.
    async fn frequencies(
        &self,
        workspace: &WorkspaceKey,
        terms: &[String],
    ) -> Result<Vec<(String, u64)>, StoreError>;

    /// The matching chunks, best ranked by the database first, at most `limit`.
    async fn search_chunks(
        &self,
        workspace: &WorkspaceKey,
        wanted: &ChunkQuery,
        limit: u32,
    ) -> Result<Vec<ChunkCandidate>, StoreError>;
}
