//! [`KnowledgeStore`] on a database. Its writes need no ownership, only the writer's queue.

use async_trait::async_trait;
use entracte_application::failpoints::FailpointOperation;
use entracte_application::ports::{
    ChunkCandidate, ChunkQuery, DocumentChunk, DocumentWriteOutcome, KnowledgeDocument, KnowledgeStatistics,
    KnowledgeStore, NewKnowledgeDocument, StoreError, UnreadDocumentCondition, UnreadRemovalOutcome,
};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use crate::column_numbers::to_column;
use crate::connection::DbConnection;
use crate::database::Database;
use crate::db_error::DbError;
use crate::dialect::{self, DocumentLock};
use crate::queries::libraries::{self, LibraryCountDelta};
use crate::queries::terms::{self, TermCounts};
use crate::queries::{chunks, documents, vectors, workspaces};
use crate::writer::WriteJob;

/// Store of documents and their index.
pub(crate) struct DbKnowledgeStore(pub(crate) Database);

#[async_trait]
impl KnowledgeStore for DbKnowledgeStore {
    async fn write_document(
        &self,
        workspace: &WorkspaceKey,
        document: NewKnowledgeDocument,
        most: u64,
    ) -> Result<DocumentWriteOutcome, StoreError> {
        let work = || PutDocumentJob { workspace: workspace.clone(), new: document.clone(), most };
        match self.0.write(work()).await {
            // Another process was faster: its library is found now.
            Err(DbError::Conflict(_)) => Ok(self.0.write(work()).await?),
            answer => Ok(answer?),
        }
    }

    async fn remove(&self, workspace: &WorkspaceKey, id: &str) -> Result<bool, StoreError> {
        let job = RemoveDocumentJob { workspace: workspace.clone(), id: id.to_owned(), unread: None };
        Ok(self.0.write(job).await? == UnreadRemovalOutcome::Removed)
    }

    async fn remove_unread(
        &self,
        workspace: &WorkspaceKey,
        id: &str,
        condition: UnreadDocumentCondition,
    ) -> Result<UnreadRemovalOutcome, StoreError> {
        let (workspace, unread) = (workspace.clone(), Some(condition));
        Ok(self.0.write(RemoveDocumentJob { workspace, id: id.to_owned(), unread }).await?)
    }

    async fn note_reads(
        &self,
        workspace: &WorkspaceKey,
        ids: &[String],
        at: Timestamp,
    ) -> Result<(), StoreError> {
        Ok(self.0.write(NoteReadsJob { workspace: workspace.clone(), ids: ids.to_vec(), at }).await?)
    }

    async fn documents(
        &self,
        workspace: &WorkspaceKey,
        after: Option<String>,
        limit: u32,
    ) -> Result<Vec<KnowledgeDocument>, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| documents::list(conn, &workspace, after.as_deref(), limit)).await
    }

    async fn document(
        &self,
        workspace: &WorkspaceKey,
        which: &str,
    ) -> Result<Option<KnowledgeDocument>, StoreError> {
        let (workspace, which) = (workspace.clone(), which.to_owned());
        self.0.read(move |conn| documents::find(conn, &workspace, &which)).await
    }

    async fn body(&self, workspace: &WorkspaceKey, id: &str) -> Result<Option<String>, StoreError> {
        let (workspace, id) = (workspace.clone(), id.to_owned());
        self.0.read(move |conn| documents::body(conn, &workspace, &id)).await
    }

    async fn chunks(
        &self,
        workspace: &WorkspaceKey,
        id: &str,
        from: u64,
        limit: u32,
    ) -> Result<Vec<DocumentChunk>, StoreError> {
        let (workspace, id) = (workspace.clone(), id.to_owned());
        self.0.read(move |conn| chunks::list_for_document(conn, &workspace, &id, from, limit)).await
    }

    async fn chunks_by_number(
        &self,
        workspace: &WorkspaceKey,
        numbers: &[u64],
    ) -> Result<Vec<DocumentChunk>, StoreError> {
        let (workspace, numbers) = (workspace.clone(), numbers.to_vec());
        self.0.read(move |conn| chunks::list_by_numbers(conn, &workspace, &numbers)).await
    }

    async fn chunks_after(
        &self,
        workspace: &WorkspaceKey,
        after: u64,
        limit: u32,
    ) -> Result<Vec<DocumentChunk>, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| chunks::after(conn, &workspace, after, limit)).await
    }

    async fn library(&self, workspace: &WorkspaceKey) -> Result<KnowledgeStatistics, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| libraries::find(conn, &workspace)).await
    }

    async fn frequencies(
        &self,
        workspace: &WorkspaceKey,
        terms: &[String],
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let (workspace, wanted) = (workspace.clone(), terms.to_vec());
        self.0.read(move |conn| terms::frequencies(conn, &workspace, &wanted)).await
    }

    async fn search_chunks(
        &self,
        workspace: &WorkspaceKey,
        wanted: &ChunkQuery,
        limit: u32,
    ) -> Result<Vec<ChunkCandidate>, StoreError> {
        let (workspace, wanted) = (workspace.clone(), wanted.clone());
        self.0.read(move |conn| chunks::matching(conn, &workspace, &wanted, limit)).await
    }
}

struct PutDocumentJob {
    workspace: WorkspaceKey,
    new: NewKnowledgeDocument,
    most: u64,
}

impl WriteJob for PutDocumentJob {
    type Answer = DocumentWriteOutcome;

    const OPERATION: FailpointOperation = FailpointOperation::KeepKnowledge;

    fn run(&self, conn: &mut DbConnection) -> Result<DocumentWriteOutcome, DbError> {
        let (library, documents_before) = libraries::begin_revision(conn, &self.workspace)?;
        let known = documents::find_by_name(conn, library, &self.new.document.name)?;
        if known.is_none() && documents_before >= to_column(self.most)? {
            return Ok(DocumentWriteOutcome::Full);
        }
        let mut before = TermCounts::default();
        let mut chunks_before = 0;
        let mut kept = None;
        let number = match &known {
            Some((number, document)) => {
                before = counted(conn, *number)?;
                chunks_before = i64::from(document.chunks);
                kept = Some(vectors::load_document_vectors(conn, *number)?);
                chunks::delete_for_document(conn, *number)?;
                documents::replace(conn, *number, &self.new)?;
                *number
            }
            None => documents::insert(conn, library, &self.new)?,
        };
        let mut after = TermCounts::default();
        for (ordinal, chunk) in (0..).zip(&self.new.chunks) {
            chunks::insert(conn, chunks::ChunkPlace { library, document: number, ordinal }, chunk)?;
            after.add(chunk.heading_terms.iter().chain(&chunk.terms).map(String::as_str));
        }
        if let Some(kept) = &kept {
            vectors::restore_document_vectors(conn, number, kept)?;
        }
        let change = after.subtract(before);
        terms::add_term_counts(conn, library, &change)?;
        let chunks = i64::try_from(self.new.chunks.len()).unwrap_or(i64::MAX) - chunks_before;
        libraries::add_counts(
            conn,
            library,
            LibraryCountDelta { documents: i64::from(known.is_none()), chunks, terms: change.all },
        )?;
        let document = self.new.document.clone();
        Ok(match known {
            Some((_, known)) => DocumentWriteOutcome::Replaced(KnowledgeDocument {
                id: known.id,
                added_at: known.added_at,
                last_read_at: known.last_read_at,
                ..document
            }),
            None => DocumentWriteOutcome::Added(document),
        })
    }

    /// Idempotent: a second run replaces the document by the same one.
    fn is_committed(&self, conn: &mut DbConnection, answer: &DocumentWriteOutcome) -> Result<bool, DbError> {
        let found = documents::find(conn, &self.workspace, &self.new.document.name)?;
        Ok(match answer {
            DocumentWriteOutcome::Added(document) | DocumentWriteOutcome::Replaced(document) => {
                found.as_ref() == Some(document)
            }
            DocumentWriteOutcome::Full => true,
        })
    }
}

struct RemoveDocumentJob {
    workspace: WorkspaceKey,
    id: String,
    /// If set, the document is removed only while this condition holds.
    unread: Option<UnreadDocumentCondition>,
}

impl WriteJob for RemoveDocumentJob {
    type Answer = UnreadRemovalOutcome;

    const OPERATION: FailpointOperation = FailpointOperation::KeepKnowledge;

    fn run(&self, conn: &mut DbConnection) -> Result<UnreadRemovalOutcome, DbError> {
        // Without a lock, so that a document that stays gives the library no new revision.
        if !self.is_removable(conn)? {
            return Ok(UnreadRemovalOutcome::Kept);
        }
        if !self.lock_expected_workspace(conn)? {
            return Ok(UnreadRemovalOutcome::WorkspaceChanged);
        }
        let (library, _) = libraries::begin_revision(conn, &self.workspace)?;
        let Some(number) = documents::number(conn, library, &self.id)? else {
            return Ok(UnreadRemovalOutcome::Kept);
        };
        // Another process may have replaced it, or noted a read of it, before these locks.
        if !dialect::lock_document(conn, number, DocumentLock::Removal)? || !self.is_removable(conn)? {
            return Ok(UnreadRemovalOutcome::Kept);
        }
        let before = counted(conn, number)?;
        let of_chunks = chunks::terms_of(conn, number)?.len();
        let chunks = i64::try_from(of_chunks).unwrap_or(i64::MAX);
        chunks::delete_for_document(conn, number)?;
        documents::delete(conn, number)?;
        let change = TermCounts::default().subtract(before);
        terms::add_term_counts(conn, library, &change)?;
        libraries::add_counts(
            conn,
            library,
            LibraryCountDelta { documents: -1, chunks: -chunks, terms: change.all },
        )?;
        Ok(UnreadRemovalOutcome::Removed)
    }

    /// A document that existed and is gone was removed by this job, or by another one with the same purpose.
    fn is_committed(&self, conn: &mut DbConnection, outcome: &UnreadRemovalOutcome) -> Result<bool, DbError> {
        let is_removed = *outcome == UnreadRemovalOutcome::Removed;
        Ok(is_removed && documents::find(conn, &self.workspace, &self.id)?.is_none())
    }
}

impl RemoveDocumentJob {
    /// Whether the document exists and satisfies the condition, if there is one.
    fn is_removable(&self, conn: &mut DbConnection) -> Result<bool, DbError> {
        let Some(document) = documents::find(conn, &self.workspace, &self.id)? else { return Ok(false) };
        Ok(self.unread.is_none_or(|unread| document.last_used_at() < unread.before))
    }

    /// Locks the row of the workspace until the transaction ends; returns whether it has the expected number.
    fn lock_expected_workspace(&self, conn: &mut DbConnection) -> Result<bool, DbError> {
        let Some(UnreadDocumentCondition { workspace_seq, .. }) = self.unread else { return Ok(true) };
        if let Some(number) = workspaces::number(conn, &self.workspace)? {
            dialect::lock_workspace(conn, number)?;
        }
        let found = workspaces::find(conn, &self.workspace)?;
        Ok(found.map(|row| row.seq) == workspace_seq)
    }
}

struct NoteReadsJob {
    workspace: WorkspaceKey,
    ids: Vec<String>,
    at: Timestamp,
}

impl WriteJob for NoteReadsJob {
    type Answer = ();

    const OPERATION: FailpointOperation = FailpointOperation::KeepKnowledge;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        let Some(library) = libraries::number(conn, &self.workspace)? else { return Ok(()) };
        for id in &self.ids {
            if let Some(number) = documents::number(conn, library, id)?
                && dialect::lock_document(conn, number, DocumentLock::Note)?
            {
                documents::note_read(conn, number, self.at)?;
            }
        }
        Ok(())
    }

    /// Idempotent.
    fn is_committed(&self, _: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        Ok(false)
    }
}

/// The term counts of a document's chunks.
fn counted(conn: &mut DbConnection, number: i64) -> Result<TermCounts, DbError> {
    let mut counts = TermCounts::default();
    for (heading, text) in chunks::terms_of(conn, number)? {
        counts.add(heading.split(' ').chain(text.split(' ')));
    }
    Ok(counts)
}
