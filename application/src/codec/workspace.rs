//! What is stored in a workspace's row beside its columns.

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;
use entracte_domain::validation::StandingApprovalRule;
use serde::{Deserialize, Serialize};

use super::format_version::{self, FormatVersion1};
use super::{CodecError, v1};
use crate::ports::{StoreError, WorkspaceStore};
use crate::settings::WorkspaceSettings;

/// Settings, and what placement and the pipeline remember of the whole workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkspaceBody {
    /// Its settings, as they were set.
    pub settings: WorkspaceSettings,
    /// When an action was last committed: remembered answers of queries are void since then.
    pub last_action_at: Option<Timestamp>,
    /// The standing approvals.
    pub rules: Vec<StandingApprovalRule>,
}

#[derive(Serialize, Deserialize)]
struct StoredWorkspaceBody {
    v: FormatVersion1,
    #[serde(default)]
    settings: WorkspaceSettings,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    acted: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rules: Vec<v1::AlwaysRuleV1>,
}

impl WorkspaceBody {
    /// The bytes of the row.
    ///
    /// # Errors
    /// When it cannot be written, which no body is known to be.
    pub fn encode(&self) -> Result<Vec<u8>, CodecError> {
        let acted = self.last_action_at.map(|at| at.0);
        let rules = self.rules.iter().map(Into::into).collect();
        format_version::write(
            "workspace",
            &StoredWorkspaceBody { v: FormatVersion1, settings: self.settings.clone(), acted, rules },
        )
    }

    /// The body that these bytes hold.
    ///
    /// # Errors
    /// When a newer Entracte wrote it, or it is damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let stored: StoredWorkspaceBody = format_version::read_shape("workspace", bytes)?;
        Ok(Self {
            settings: stored.settings,
            last_action_at: stored.acted.map(Timestamp),
            rules: stored.rules.into_iter().map(Into::into).collect(),
        })
    }

    /// The body of a workspace; that of a new one where it was never committed to.
    ///
    /// # Errors
    /// When its row cannot be read.
    pub async fn load(store: &dyn WorkspaceStore, key: &WorkspaceKey) -> Result<Self, StoreError> {
        Ok(Self::find(store, key).await?.unwrap_or_default())
    }

    /// The body of a workspace; none where it was never committed to.
    ///
    /// # Errors
    /// When its row cannot be read.
    pub async fn find(store: &dyn WorkspaceStore, key: &WorkspaceKey) -> Result<Option<Self>, StoreError> {
        let Some(row) = store.workspace(key).await? else { return Ok(None) };
        let body = Self::decode(&row.body);
        let wrong = |fault| StoreError::Inconsistent(format!("workspaces.body of {key}: {fault}"));
        body.map(Some).map_err(wrong)
    }
}
