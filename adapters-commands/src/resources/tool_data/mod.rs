//! Entries of tools. One file per command.

pub(super) mod create;
pub(super) mod delete;
pub(super) mod get;
pub(super) mod update;

use entracte_domain::value::Value;
use serde_json::{Value as Json, json};

use super::ask::Ask;
use super::rows::Row;
use super::words::short;

/// Schema of an instant.
fn instant_schema(doc: &str) -> Json {
    let doc = format!("{doc}, RFC 3339 with offset: 2026-11-20T08:30:00Z.");
    json!({"type": "string", "format": "date-time", "maxLength": 64, "description": doc})
}

/// Data of an entry in the words of its tool's type; as it is stored when this version knows no such type.
fn words(ask: &Ask<'_>, tool: &Row, data: &Value) -> String {
    match ask.types.find(tool.tool_type(), "/tool_id") {
        Ok(known) => known.tool_type().say(tool.member("config"), data),
        Err(_) => data.to_json(),
    }
}

/// The same, cut for a sentence.
fn short_words(ask: &Ask<'_>, tool: &Row, data: &Value) -> String {
    short(&words(ask, tool, data))
}
