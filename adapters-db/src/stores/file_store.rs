//! [`FileStore`] on a database. Its writes need no ownership, only the writer's queue.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::failpoints::FailpointOperation;
use entracte_application::ports::{FileBytes, FileRow, FileStore, SessionFile, StoreError};
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::connection::DbConnection;
use crate::database::Database;
use crate::db_error::DbError;
use crate::queries::{files, sessions};
use crate::writer::WriteJob;

/// Store of files of conversations.
pub(crate) struct DbFileStore(pub(crate) Database);

#[async_trait]
impl FileStore for DbFileStore {
    async fn put_file(
        &self,
        workspace: &WorkspaceKey,
        row: FileRow,
        bytes: FileBytes,
    ) -> Result<(), StoreError> {
        let job = PutFileJob { workspace: workspace.clone(), row, bytes: Arc::new(bytes) };
        match self.0.write(job.clone()).await {
            // Another process may have stored the same bytes at the same time: then their rows are replaced.
            Err(DbError::Refused(_)) => Ok(self.0.write(job).await?),
            stored => Ok(stored?),
        }
    }

    async fn file(&self, workspace: &WorkspaceKey, digest: &Digest) -> Result<Option<FileRow>, StoreError> {
        let (workspace, digest) = (workspace.clone(), digest.clone());
        self.0.read(move |conn| files::find(conn, &workspace, &digest)).await
    }

    async fn file_bytes(
        &self,
        workspace: &WorkspaceKey,
        digest: &Digest,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let (workspace, digest) = (workspace.clone(), digest.clone());
        self.0.read(move |conn| files::bytes(conn, &workspace, &digest)).await
    }

    async fn session_files(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<BTreeMap<Digest, SessionFile>, StoreError> {
        let (workspace, session) = (workspace.clone(), session.clone());
        let found = move |conn: &mut DbConnection| match sessions::number(conn, &workspace, &session)? {
            Some(number) => files::of_session(conn, number),
            None => Ok(BTreeMap::new()),
        };
        self.0.read(found).await
    }

    async fn unnamed_file_bytes(&self, workspace: &WorkspaceKey) -> Result<u64, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| files::unnamed_bytes(conn, &workspace)).await
    }

    async fn delete_unnamed_files(
        &self,
        workspace: &WorkspaceKey,
        before: Timestamp,
    ) -> Result<u64, StoreError> {
        let deleted = self.0.write(DeleteUnnamedJob { workspace: workspace.clone(), before }).await?;
        Ok(deleted as u64)
    }
}

#[derive(Clone)]
struct PutFileJob {
    workspace: WorkspaceKey,
    row: FileRow,
    bytes: Arc<FileBytes>,
}

impl WriteJob for PutFileJob {
    type Answer = ();

    const OPERATION: FailpointOperation = FailpointOperation::KeepFiles;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        let FileBytes { own, form } = &*self.bytes;
        if let (Some(row), Some(form)) = (self.row.form_row(), form) {
            files::put(conn, &self.workspace, &row, form)?;
        }
        files::put(conn, &self.workspace, &self.row, own)
    }

    fn is_committed(&self, conn: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        let found = files::find(conn, &self.workspace, &self.row.file.digest)?;
        Ok(found.as_ref() == Some(&self.row))
    }
}

struct DeleteUnnamedJob {
    workspace: WorkspaceKey,
    before: Timestamp,
}

impl WriteJob for DeleteUnnamedJob {
    type Answer = usize;

    const OPERATION: FailpointOperation = FailpointOperation::KeepFiles;

    fn run(&self, conn: &mut DbConnection) -> Result<usize, DbError> {
        files::delete_unnamed(conn, &self.workspace, self.before)
    }

    /// Idempotent: a second run finds nothing left.
    fn is_committed(&self, _: &mut DbConnection, _: &usize) -> Result<bool, DbError> {
        Ok(false)
    }
}
