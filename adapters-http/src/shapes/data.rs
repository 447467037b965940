//! The workspace's own data: zones, the tools in them, the entries of the tools.

use entracte_application::ports::Resource;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::iso;
use crate::etag::Tag;

/// A zone, a tool or an entry.
#[derive(Clone, Debug, Serialize, ToSchema)]
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

impl From<&Resource> for DataShape {
    fn from(row: &Resource) -> Self {
        let mut fields: Map<String, Value> = serde_json::from_str(&row.body).unwrap_or_default();
        // The version of what is stored says nothing to whoever reads it here.
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
    /// `v5`.
    pub fn tag(&self) -> Tag {
        Tag::new(format!("v{}", self.version))
    }
}
