//! The shape of the workspace's own data.

use std::collections::BTreeMap;

use entracte_application::json_value::{ExactJson, parse_foreign};
use entracte_application::ports::ResourceRow;
use entracte_domain::value::JsonValue;
use serde::{Deserialize, Serialize};
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
    pub fields: BTreeMap<String, ExactJson>,
    /// When it was made.
    pub created_at: String,
    /// When it was last changed.
    pub updated_at: String,
}

impl From<&ResourceRow> for DataShape {
    fn from(row: &ResourceRow) -> Self {
        let body = parse_foreign(&row.body).unwrap_or(JsonValue::Null);
        let fields = body.as_object().unwrap_or_default().iter();
        // The version of the stored format is not part of the API.
        let fields = fields.filter(|(name, _)| name != "v");
        let fields = fields.map(|(name, value)| (name.clone(), ExactJson(value.clone()))).collect();
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
