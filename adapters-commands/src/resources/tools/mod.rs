//! Tool instances: a tool type, configured, in a zone. One file per command.

pub(super) mod create;
pub(super) mod delete;
pub(super) mod get;
pub(super) mod list;
pub(super) mod update;

use serde_json::{Value as Json, json};

/// Schema of the flag that sends a tool's data to the model.
fn always_send_schema() -> Json {
    let doc = "Whether the model gets the tool's data in every session without asking; false when absent.";
    json!({"type": "boolean", "description": doc})
}
