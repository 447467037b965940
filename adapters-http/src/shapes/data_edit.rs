//! Shapes of changes of zones, tools and entries by hand.

use std::collections::BTreeMap;

use entracte_application::json_value::ExactJson;
use serde::Deserialize;
use utoipa::ToSchema;

use super::deserialize_nullable;

/// A zone that is to be made.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewZoneShape {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Every action in it needs approval.
    pub require_validation: Option<bool>,
}

/// What is changed of a zone; what is left out stays.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ZoneEditShape {
    /// Its name.
    pub name: Option<String>,
    /// What it is for; null takes it away.
    #[serde(default, deserialize_with = "deserialize_nullable")]
    #[schema(value_type = Option<String>)]
    pub description: Option<Option<String>>,
    /// Every action in it needs approval.
    pub require_validation: Option<bool>,
}

/// A tool that is to be made.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewToolShape {
    /// The zone that it is made in.
    pub zone: String,
    /// Its type: `tracking`, `list`, `notes`, `journal`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its configuration, as its type takes it.
    #[schema(value_type = Option<Object>)]
    pub config: Option<BTreeMap<String, ExactJson>>,
    /// Every action on it needs approval.
    pub require_validation: Option<bool>,
    /// Every prompt contains its data.
    pub always_send: Option<bool>,
}

/// What is changed of a tool; what is left out stays.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolEditShape {
    /// Its name.
    pub name: Option<String>,
    /// What is changed of its configuration; null clears a setting.
    #[schema(value_type = Option<Object>)]
    pub config: Option<BTreeMap<String, ExactJson>>,
    /// Every action on it needs approval.
    pub require_validation: Option<bool>,
    /// Every prompt contains its data.
    pub always_send: Option<bool>,
}

/// An entry that is to be made.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewEntryShape {
    /// Its data, as the type of its tool takes it.
    #[schema(value_type = Object)]
    pub data: BTreeMap<String, ExactJson>,
    /// The instant that it is about, as RFC 3339; now where it is left out.
    pub at: Option<String>,
    /// A name for it.
    pub name: Option<String>,
}

/// What is changed of an entry; what is left out stays.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EntryEditShape {
    /// What is changed of its data; null clears a field.
    #[schema(value_type = Option<Object>)]
    pub data: Option<BTreeMap<String, ExactJson>>,
    /// The instant that it is about, as RFC 3339.
    pub at: Option<String>,
    /// Its name; null takes it away.
    #[serde(default, deserialize_with = "deserialize_nullable")]
    #[schema(value_type = Option<String>)]
    pub name: Option<Option<String>>,
}
