//! [`VectorStore`] on a database, beside the store of the documents.

use async_trait::async_trait;
use entracte_application::failpoints::FailpointOperation;
use entracte_application::ports::{
    DocumentChunk, NewChunkVector, QuantizedVector, StoreError, VectorCoverage, VectorStore,
};
use entracte_domain::id::{Digest, WorkspaceKey};

use crate::column_numbers::from_column;
use crate::connection::DbConnection;
use crate::database::Database;
use crate::db_error::DbError;
use crate::queries::{libraries, vectors};
use crate::writer::WriteJob;

/// Store of chunk embeddings.
pub(crate) struct DbVectorStore(pub(crate) Database);

#[async_trait]
impl VectorStore for DbVectorStore {
    async fn chunks_without_vector(
        &self,
        workspace: &WorkspaceKey,
        model: &str,
        after: u64,
        limit: u32,
    ) -> Result<Vec<DocumentChunk>, StoreError> {
        let (workspace, model) = (workspace.clone(), model.to_owned());
        self.0.read(move |conn| vectors::missing(conn, &workspace, &model, after, limit)).await
    }

    async fn vectors(
        &self,
        workspace: &WorkspaceKey,
        model: &str,
        after: u64,
        limit: u32,
    ) -> Result<Vec<(u64, QuantizedVector)>, StoreError> {
        let (workspace, model) = (workspace.clone(), model.to_owned());
        self.0.read(move |conn| vectors::list(conn, &workspace, &model, after, limit)).await
    }

    async fn vectors_by_text_hash(
        &self,
        workspace: &WorkspaceKey,
        model: &str,
        digests: &[Digest],
    ) -> Result<Vec<(Digest, QuantizedVector)>, StoreError> {
        let (workspace, model, digests) = (workspace.clone(), model.to_owned(), digests.to_vec());
        let read = move |conn: &mut DbConnection| {
            let Some(library) = libraries::number(conn, &workspace)? else { return Ok(Vec::new()) };
            let mut found = Vec::new();
            for digest in &digests {
                let vector = vectors::find_by_text_digest(conn, library, &model, digest)?;
                found.extend(vector.map(|vector| (digest.clone(), vector)));
            }
            Ok(found)
        };
        self.0.read(read).await
    }

    async fn write_vectors(
        &self,
        workspace: &WorkspaceKey,
        model: &str,
        vectors: Vec<NewChunkVector>,
    ) -> Result<u64, StoreError> {
        let keep = PutVectorsJob { workspace: workspace.clone(), model: model.to_owned(), vectors };
        Ok(self.0.write(keep).await?)
    }

    async fn delete_other_models(&self, workspace: &WorkspaceKey, model: &str) -> Result<u64, StoreError> {
        let forget = DeleteOtherVectorsJob { workspace: workspace.clone(), model: model.to_owned() };
        Ok(self.0.write(forget).await?)
    }

    async fn vector_coverage(
        &self,
        workspace: &WorkspaceKey,
        model: &str,
    ) -> Result<VectorCoverage, StoreError> {
        let (workspace, model) = (workspace.clone(), model.to_owned());
        let read = move |conn: &mut DbConnection| {
            let Some(library) = libraries::number(conn, &workspace)? else {
                return Ok(VectorCoverage::default());
            };
            let chunks = libraries::find(conn, &workspace)?.chunks;
            let vectors = vectors::count(conn, library, &model)?;
            Ok(VectorCoverage {
                chunks,
                vectors: from_column(vectors, || "chunk_vectors, count".to_owned())?,
            })
        };
        self.0.read(read).await
    }
}

struct PutVectorsJob {
    workspace: WorkspaceKey,
    model: String,
    vectors: Vec<NewChunkVector>,
}

impl WriteJob for PutVectorsJob {
    type Answer = u64;

    const OPERATION: FailpointOperation = FailpointOperation::KeepKnowledge;

    fn run(&self, conn: &mut DbConnection) -> Result<u64, DbError> {
        if libraries::number(conn, &self.workspace)?.is_none() {
            return Ok(0);
        }
        // A new revision, so that processes with the vectors in memory load them again.
        let (library, _) = libraries::begin_revision(conn, &self.workspace)?;
        let mut kept = 0;
        for vector in &self.vectors {
            kept += u64::from(vectors::upsert_vector(conn, library, &self.model, vector)?);
        }
        Ok(kept)
    }

    /// Idempotent: a second run replaces the vectors by the same ones.
    fn is_committed(&self, _: &mut DbConnection, _: &u64) -> Result<bool, DbError> {
        Ok(false)
    }
}

struct DeleteOtherVectorsJob {
    workspace: WorkspaceKey,
    model: String,
}

impl WriteJob for DeleteOtherVectorsJob {
    type Answer = u64;

    const OPERATION: FailpointOperation = FailpointOperation::KeepKnowledge;

    fn run(&self, conn: &mut DbConnection) -> Result<u64, DbError> {
        let Some(library) = libraries::number(conn, &self.workspace)? else { return Ok(0) };
        let gone = vectors::delete_other_models(conn, library, &self.model)?;
        Ok(u64::try_from(gone).unwrap_or(u64::MAX))
    }

    /// Idempotent.
    fn is_committed(&self, _: &mut DbConnection, _: &u64) -> Result<bool, DbError> {
        Ok(false)
    }
}
