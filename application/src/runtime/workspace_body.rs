//! What is stored in a workspace's row beside its columns.

use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::settings::WorkspaceSettings;

/// Settings, and what placement and the pipeline remember of the whole workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WorkspaceBody {
    pub(super) settings: WorkspaceSettings,
    /// When an action was last committed: remembered answers of queries are void since then.
    pub(super) last_action_at: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    v: u32,
    #[serde(default)]
    settings: WorkspaceSettings,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    acted: Option<i64>,
}

const VERSION: u32 = 1;

impl WorkspaceBody {
    pub(super) fn encode(&self) -> Result<Vec<u8>, serde_json::Error> {
        let acted = self.last_action_at.map(|at| at.0);
        serde_json::to_vec(&Stored { v: VERSION, settings: self.settings.clone(), acted })
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let stored: Stored = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if stored.v != VERSION {
            return Err(format!("it is of version {}, this Entracte knows version {VERSION}", stored.v));
        }
        Ok(Self { settings: stored.settings, last_action_at: stored.acted.map(Timestamp) })
    }
}
