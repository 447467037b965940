//! The body of a workspace's row.

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;
use entracte_domain::validation::StandingApprovalRule;
use serde::{Deserialize, Serialize};

use super::format_version::{self, FormatVersion1};
use super::{CodecError, v1};
use crate::ports::{StoreError, WorkspaceStore};
use crate::retention::RetentionHold;
use crate::settings::WorkspaceSettings;

/// The settings, and the state that placement and the command pipeline keep per workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkspaceBody {
    /// The settings as set in the workspace.
    pub settings: WorkspaceSettings,
    /// When an action was last committed: cached query results from before are invalid.
    pub last_action_at: Option<Timestamp>,
    /// The standing approval rules.
    pub rules: Vec<StandingApprovalRule>,
    /// What people hold against the retention policy, each scope once.
    pub holds: Vec<RetentionHold>,
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    holds: Vec<v1::RetentionHoldV1>,
}

impl WorkspaceBody {
    /// Encodes the body.
    ///
    /// # Errors
    /// [`CodecError::Unstorable`]; no body is known to cause it.
    pub fn encode(&self) -> Result<Vec<u8>, CodecError> {
        let acted = self.last_action_at.map(|at| at.0);
        let rules = self.rules.iter().map(Into::into).collect();
        let holds = self.holds.iter().map(Into::into).collect();
        format_version::write(
            "workspace",
            &StoredWorkspaceBody { v: FormatVersion1, settings: self.settings.clone(), acted, rules, holds },
        )
    }

    /// Decodes a body.
    ///
    /// # Errors
    /// When a newer Entracte wrote it, or it is damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let stored: StoredWorkspaceBody = format_version::read_shape("workspace", bytes)?;
        Ok(Self {
            settings: stored.settings,
            last_action_at: stored.acted.map(Timestamp),
            rules: stored.rules.into_iter().map(Into::into).collect(),
            holds: stored.holds.into_iter().map(Into::into).collect(),
        })
    }

    /// Loads the body of a workspace; a default body if it was never committed to.
    ///
    /// # Errors
    /// When its row cannot be read.
    pub async fn load(store: &dyn WorkspaceStore, key: &WorkspaceKey) -> Result<Self, StoreError> {
        Ok(Self::find(store, key).await?.unwrap_or_default())
    }

    /// Loads the body of a workspace; `None` if it was never committed to.
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
