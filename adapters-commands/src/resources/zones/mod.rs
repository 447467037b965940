//! Zones: the groups in which a workspace's tools are kept. One file per command.

pub(super) mod create;
pub(super) mod delete;
pub(super) mod get;
pub(super) mod list;
pub(super) mod update;

use entracte_application::texts::say;
use serde_json::{Value as Json, json};

use super::call_context::ResourceCallContext;
use super::decoded_resource::DecodedResource;

/// “the zone “Health””
fn the_zone(ask: &ResourceCallContext<'_>, zone: &DecodedResource) -> String {
    say!(ask.texts, "resources-the-zone", name = zone.name())
}

/// The schema of a name.
pub(super) fn name_schema(doc: &str) -> Json {
    json!({"type": "string", "minLength": 1, "maxLength": 120, "pattern": "\\S", "description": doc})
}

/// The schema of a part of a name, for filtering.
pub(super) fn part_schema() -> Json {
    let doc = "Only those with this in their name, letter case aside.";
    json!({"type": "string", "minLength": 1, "maxLength": 120, "description": doc})
}

/// The schema of the flag that requires approval.
pub(super) fn validation_schema(of: &str) -> Json {
    let doc = format!("Whether a person is asked before every action in this {of}; false when absent.");
    json!({"type": "boolean", "description": doc})
}
