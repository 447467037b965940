//! The shape of the workspace's own data.

use entracte_application::ports::ResourceRow;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::iso;
use crate::etag::EntityTag;

/// A zone, a tool or an entry.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DataShape {
    /// Its id.
    pub id: String,
    /// `zone`, `tool` or `entry`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// What it lives in: the zone of a tool, the tool of an entry.
    pub parent: Option<String>,
    /// The instant that an entry is about.
    pub at: Option<String>,
    /// Counts its changes, from 1.
    pub version: u64,
    /// The rest: description and flags of a zone; type, flags and configuration of a tool; the data of an entry.
    #[schema(value_type = Object)]
    pub fields: Map<String, Value>,
    /// When it was made.
    pub created_at: String,
    /// When it was last changed.
    pub updated_at: String,
}

impl From<&ResourceRow> for DataShape {
    fn from(row: &ResourceRow) -> Self {
        let mut fields: Map<String, Value> = serde_json::from_str(&row.body).unwrap_or_default();
        // The version of the stored format is not part of the API.
        fields.remove("v");
        Self {
            id: row.id.clone(),
            kind: row.kind.clone(),
            name: row.name.clone(),
            parent: row.parent.clone(),
            at: row.at.map(iso),
            version: row.version,
            fields,
            created_at: iso(row.created_at),
            updated_at: iso(row.updated_at),
        }
    }
}

impl DataShape {
    /// The entity tag, for example `v5`.
    pub fn tag(&self) -> EntityTag {
        EntityTag::new(format!("v{}", self.version))
    }
}
