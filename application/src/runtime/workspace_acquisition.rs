//! Acquires a workspace for this process before anything is handled in it. One that does not exist yet is created first,
//! because its row is what processes acquire.

use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;

use super::error::TurnError;
use super::ownership_lease::{OwnershipLease, WorkspaceAcquisition};
use super::services::RuntimeServices;
use crate::codec::WorkspaceBody;
use crate::ports::{CommitError, WorkspaceCommit, WorkspaceRow};
use crate::settings::{RuntimeSettings, WorkspaceSettings};

/// The first body of a workspace.
pub(super) fn first_body(settings: &RuntimeSettings) -> WorkspaceBody {
    WorkspaceBody { settings: WorkspaceSettings::of_new_workspace(settings), ..WorkspaceBody::default() }
}

impl RuntimeServices {
    /// Acquires a workspace for the process with this right; `None` if another process has it. An owner of the whole
    /// store has every workspace.
    ///
    /// # Errors
    /// When the store cannot be used now, or the workspace cannot be created.
    pub async fn acquire_workspace(
        &self,
        process: &Arc<OwnershipLease>,
        key: &WorkspaceKey,
    ) -> Result<Option<Arc<OwnershipLease>>, TurnError> {
        loop {
            match process.acquire_workspace(key).await? {
                WorkspaceAcquisition::Acquired(right) => return Ok(Some(right)),
                WorkspaceAcquisition::Owned => return Ok(None),
                WorkspaceAcquisition::Absent => create(self, key).await?,
            }
        }
    }
}

/// Creates a workspace, unless another process is faster.
async fn create(services: &RuntimeServices, key: &WorkspaceKey) -> Result<(), TurnError> {
    let body = first_body(&services.settings).encode()?;
    let row = WorkspaceRow { key: key.clone(), seq: 0, body, created_at: services.clock.now(), epoch: 0 };
    match services.store.commit(WorkspaceCommit::for_workspace(row)).await {
        Ok(()) | Err(CommitError::Conflict(_) | CommitError::NotOwner(_)) => Ok(()),
        Err(CommitError::Store(error)) => Err(error.into()),
    }
}
