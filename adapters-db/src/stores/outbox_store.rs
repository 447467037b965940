//! [`OutboxStore`] on a database. Its writes need no ownership, only the writer's queue.

use async_trait::async_trait;
use entracte_application::failpoints::FailpointOperation;
use entracte_application::ports::{
    AddTargetOutcome, LinkRow, OutboxRow, OutboxStore, OutboxWriteBatch, ReceiptRow, StoreError, TargetRow,
};
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::connection::DbConnection;
use crate::database::Database;
use crate::db_error::DbError;
use crate::queries::{outbox, receipts};
use crate::writer::WriteJob;

/// Store of notification targets, notifications and links.
pub(crate) struct DbOutboxStore(pub(crate) Database);

#[async_trait]
impl OutboxStore for DbOutboxStore {
    async fn add_target(&self, row: TargetRow, most: u32) -> Result<AddTargetOutcome, StoreError> {
        match self.0.write(AddTargetJob { row: row.clone(), most }).await {
            // Another process was faster: its target is found now.
            Err(DbError::Conflict(_)) => Ok(self.0.write(AddTargetJob { row, most }).await?),
            answer => Ok(answer?),
        }
    }

    async fn add_target_once(
        &self,
        row: TargetRow,
        most: u32,
        receipt: ReceiptRow,
        before: Timestamp,
    ) -> Result<AddTargetOutcome, StoreError> {
        let once = || AddTargetIdempotentJob { row: row.clone(), most, receipt: receipt.clone(), before };
        match self.0.write(once()).await {
            // Another process was faster: its target or its receipt is found now.
            Err(DbError::Conflict(_)) => Ok(self.0.write(once()).await?),
            answer => Ok(answer?),
        }
    }

    async fn targets(&self, workspace: Option<WorkspaceKey>) -> Result<Vec<TargetRow>, StoreError> {
        self.0.read(move |conn| outbox::targets(conn, workspace.as_ref())).await
    }

    async fn change_target(&self, row: TargetRow) -> Result<bool, StoreError> {
        Ok(self.0.write(UpdateTargetJob(row)).await?)
    }

    async fn remove_target(&self, workspace: &WorkspaceKey, id: &str) -> Result<bool, StoreError> {
        Ok(self.0.write(RemoveTargetJob { workspace: workspace.clone(), id: id.to_owned() }).await?)
    }

    async fn write(&self, write: OutboxWriteBatch) -> Result<(), StoreError> {
        match self.0.write(OutboxWriteJob(write.clone())).await {
            // Another process notified the same target of the same item meanwhile.
            Err(DbError::Conflict(_)) => Ok(self.0.write(OutboxWriteJob(write)).await?),
            answer => Ok(answer?),
        }
    }

    async fn due(&self, now: Timestamp, limit: u32) -> Result<Vec<OutboxRow>, StoreError> {
        self.0.read(move |conn| outbox::due(conn, now, limit)).await
    }

    async fn notifications(
        &self,
        workspace: &WorkspaceKey,
        limit: u32,
    ) -> Result<Vec<OutboxRow>, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| outbox::latest(conn, &workspace, limit)).await
    }

    async fn link(&self, hash: &Digest) -> Result<Option<LinkRow>, StoreError> {
        let hash = hash.clone();
        self.0.read(move |conn| outbox::link(conn, &hash)).await
    }
}

struct AddTargetJob {
    row: TargetRow,
    most: u32,
}

impl WriteJob for AddTargetJob {
    type Answer = AddTargetOutcome;

    const OPERATION: FailpointOperation = FailpointOperation::KeepOutbox;

    fn run(&self, conn: &mut DbConnection) -> Result<AddTargetOutcome, DbError> {
        outbox::add_target(conn, &self.row, self.most)
    }

    /// Idempotent: a second run finds the first one's target.
    fn is_committed(&self, _: &mut DbConnection, _: &AddTargetOutcome) -> Result<bool, DbError> {
        Ok(false)
    }
}

struct AddTargetIdempotentJob {
    row: TargetRow,
    most: u32,
    receipt: ReceiptRow,
    before: Timestamp,
}

impl WriteJob for AddTargetIdempotentJob {
    type Answer = AddTargetOutcome;

    const OPERATION: FailpointOperation = FailpointOperation::KeepOutbox;

    fn run(&self, conn: &mut DbConnection) -> Result<AddTargetOutcome, DbError> {
        let known = receipts::find(conn, &self.row.workspace, &self.receipt.key)?;
        if let Some(known) = known.filter(|known| known.created_at >= self.before) {
            return Ok(AddTargetOutcome::Before(known));
        }
        let added = outbox::add_target(conn, &self.row, self.most)?;
        if added == AddTargetOutcome::Added {
            receipts::insert_receipt(conn, &self.row.workspace, &self.receipt, self.before)?;
        }
        Ok(added)
    }

    /// The target exists exactly if its receipt does.
    fn is_committed(&self, conn: &mut DbConnection, added: &AddTargetOutcome) -> Result<bool, DbError> {
        let known = receipts::find(conn, &self.row.workspace, &self.receipt.key)?;
        Ok(*added != AddTargetOutcome::Added || known.is_some_and(|known| known == self.receipt))
    }
}

struct UpdateTargetJob(TargetRow);

impl WriteJob for UpdateTargetJob {
    type Answer = bool;

    const OPERATION: FailpointOperation = FailpointOperation::KeepOutbox;

    fn run(&self, conn: &mut DbConnection) -> Result<bool, DbError> {
        outbox::change_target(conn, &self.0)
    }

    fn is_committed(&self, conn: &mut DbConnection, _: &bool) -> Result<bool, DbError> {
        outbox::is_target(conn, &self.0)
    }
}

struct RemoveTargetJob {
    workspace: WorkspaceKey,
    id: String,
}

impl WriteJob for RemoveTargetJob {
    type Answer = bool;

    const OPERATION: FailpointOperation = FailpointOperation::KeepOutbox;

    fn run(&self, conn: &mut DbConnection) -> Result<bool, DbError> {
        outbox::remove_target(conn, &self.workspace, &self.id)
    }

    /// A target that existed and is gone was removed by this job.
    fn is_committed(&self, conn: &mut DbConnection, was_there: &bool) -> Result<bool, DbError> {
        let here = outbox::targets(conn, Some(&self.workspace))?;
        Ok(*was_there && here.iter().all(|row| row.id != self.id))
    }
}

struct OutboxWriteJob(OutboxWriteBatch);

impl WriteJob for OutboxWriteJob {
    type Answer = ();

    const OPERATION: FailpointOperation = FailpointOperation::KeepOutbox;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        outbox::write(conn, &self.0)
    }

    /// Idempotent: it writes states, not changes.
    fn is_committed(&self, _: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        Ok(false)
    }
}
