//! Tool instances: configured tools of a tool type, in a zone. One file per command.

pub(super) mod create;
pub(super) mod delete;
pub(super) mod get;
pub(super) mod list;
pub(super) mod update;

use entracte_application::texts::say;
use entracte_domain::value::JsonValue;
use serde_json::{Value as Json, json};

use super::call_context::ResourceCallContext;
use super::decoded_resource::DecodedResource;

/// “the tool “Weight””
fn the_tool(ask: &ResourceCallContext<'_>, tool: &DecodedResource) -> String {
    say!(ask.texts, "resources-the-tool", name = tool.name())
}

/// The schema of entries under this type and configuration; `None` for an unknown type.
fn entry_schema(ask: &ResourceCallContext<'_>, tool_type: &str, config: &JsonValue) -> Option<JsonValue> {
    Some(ask.types.get(tool_type)?.entry_schema(Some(config)))
}

/// The schema of the flag that sends a tool's data to the model with every prompt.
fn always_send_schema() -> Json {
    let doc = "Whether the model gets the tool's data in every session without asking; false when absent.";
    json!({"type": "boolean", "description": doc})
}
