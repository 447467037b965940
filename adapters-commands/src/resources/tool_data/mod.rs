//! Entries of tools. One file per command.

pub(super) mod create;
mod decimal_sum;
pub(super) mod delete;
mod entry_filter;
pub(super) mod get;
pub(super) mod stats;
mod tally;
pub(super) mod update;

use entracte_application::ports::SchemaRequirement;
use entracte_application::texts::say;
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;

use super::call_context::ResourceCallContext;
use super::decoded_resource::DecodedResource;
use super::schemas;
use super::tool_types::schema_digest;
use super::value_text::short;

/// Renders an entry's data by its tool type; as JSON if this version does not know the type.
fn words(ask: &ResourceCallContext<'_>, tool: &DecodedResource, data: &JsonValue) -> String {
    match ask.types.get(tool.tool_type()) {
        Some(known) => known.tool_type().say(tool.member("config"), data, ask.language()),
        None => data.to_json(),
    }
}

/// “72.5 kg on 2026-11-20”.
fn dated(ask: &ResourceCallContext<'_>, said: &str, at: Timestamp) -> String {
    say!(ask.texts, "resources-dated", said = said, at = ask.calendar.format_for_people(at))
}

/// The schema of a tool's entries, which a session must have seen before it writes one. `None` for an unknown tool
/// type, because the call is refused anyway.
fn needed(ask: &ResourceCallContext<'_>, tool: &DecodedResource) -> Option<SchemaRequirement> {
    let known = ask.types.get(tool.tool_type())?;
    let config = tool.member("config");
    let schema = schema_digest(&known.entry_schema(Some(config)));
    let text = schemas::schema_answer(ask, known, Some(tool.id()), Some(config)).to_json();
    Some(SchemaRequirement::Needs { schema, text })
}

/// Renders an entry's data, shortened for a sentence.
fn short_words(ask: &ResourceCallContext<'_>, tool: &DecodedResource, data: &JsonValue) -> String {
    short(&words(ask, tool, data))
}
