//! The declarations of the document commands.

use entracte_application::command_naming::CommandNaming;
use entracte_application::ports::{CommandSpec, builtin_command_doc};
use entracte_application::settings::{KnowledgeSettings, Language};
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::time::Millis;
use serde_json::{Value as Json, json};

/// Searches the documents.
pub(super) const SEARCH: &str = "knowledge.search";
/// Reads the text of one document.
pub(super) const READ: &str = "knowledge.read";
/// Reads a structured document by path and filter, or lists all structured documents.
pub(super) const GET: &str = "documents.get";

/// The most characters that one call reads.
pub(super) const READ_MAX: u64 = 50_000;
/// The default number of characters that one call reads.
pub(super) const READ_USUAL: u64 = 6_000;
/// The most records or documents of one page.
pub(super) const PAGE_MAX: u64 = 200;
/// The default number of records or documents on a page.
pub(super) const PAGE_USUAL: u64 = 50;
/// The most filters or fields of one call.
const LIST_MAX: u64 = 20;

/// The specs of all document commands.
pub(super) fn all() -> Vec<CommandSpec> {
    let text = |most: u64| json!({ "type": "string", "minLength": 1, "maxLength": most });
    let count = |least: u64, most: u64| json!({ "type": "integer", "minimum": least, "maximum": most });
    let from = json!({ "type": "integer", "minimum": 0 });
    let search = json!({ "query": text(1_000), "limit": count(1, KnowledgeSettings::RESULTS_MAX as u64) });
    let read = json!({ "document": text(1_000), "from": from, "length": count(1, READ_MAX) });
    let filter = json!({
        "type": "object",
        "properties": {
            "field": text(500),
            "op": { "type": "string", "enum": ["eq", "ne", "lt", "le", "gt", "ge", "in", "contains"] },
            "value": {
                "anyOf": [
                    { "type": ["string", "number", "boolean", "null"] },
                    { "type": "array", "maxItems": 100, "items": { "type": ["string", "number", "boolean", "null"] } },
                ],
            },
        },
        "required": ["field", "op", "value"],
        "additionalProperties": false,
    });
    let get = json!({
        "path": text(2_000),
        "filters": { "type": "array", "maxItems": LIST_MAX, "items": filter },
        "fields": { "type": "array", "maxItems": LIST_MAX, "items": text(500) },
        "limit": count(1, PAGE_MAX),
        "offset": from,
    });
    vec![
        query("SEARCH_KNOWLEDGE", SEARCH, search, &["query"], json!({ "query": "travel expenses" })),
        query("READ_KNOWLEDGE", READ, read, &["document"], json!({ "document": "guide.md", "from": 0 })),
        query(
            "DOCUMENTS",
            GET,
            get,
            &[],
            json!({
                "path": "departments.json#/staff",
                "filters": [{ "field": "city", "op": "eq", "value": "Lyon" }],
                "fields": ["name", "role"],
            }),
        ),
    ]
}

/// A query that is not cacheable, because the library may change without the session.
fn query(word: &str, name: &str, properties: Json, required: &[&str], example: Json) -> CommandSpec {
    CommandSpec {
        word: word.to_owned(),
        name: name.to_owned(),
        kind: CommandKind::Query,
        effect: EffectClass::Read,
        schema: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
        .into(),
        cacheable: false,
        independent: true,
        // No command changes the library.
        state_scopes: Vec::new(),
        destructive: false,
        egress: false,
        asks: false,
        four_eyes: false,
        approvers: None,
        server: None,
        agent: None,
        target: Json::Null,
        timeout: None,
        settle: Millis(0),
        key_lifetime: Millis(0),
        task: None,
        doc: builtin_command_doc(word, CommandNaming::Types, Language::En),
        example: Some(example),
    }
}
