//! The input format of enrichments as a JSON Schema, with an example of each kind.

use entracte_domain::message::EnrichmentKind;
use serde_json::{Value as Json, json};

/// An example of each kind of enrichment, as people write it. The ids are those of a zone and of a tool.
pub(crate) const ENRICHMENT_EXAMPLES: [&str; 5] = [
    r#"{"type": "POINTER", "target": "zone", "id": "zon_x_1_0"}"#,
    r#"{"type": "POINTER", "target": "tool", "id": "tool_x_2_0", "period": "0_DAY"}"#,
    r#"{"type": "USE", "id": "tool_x_2_0", "period": {"from": "2026-11-01", "until": "2026-12-01"}}"#,
    r#"{"type": "CREATE", "tool_type": "tracking", "zone": "zon_x_1_0"}"#,
    r#"{"type": "MODIFY_CONFIG", "id": "tool_x_2_0"}"#,
];

/// JSON Schema of an enrichment as people write it: one object, its kind named by `type`.
pub(crate) fn enrichment_schema() -> Json {
    let kinds: Vec<Json> = EnrichmentKind::ALL.into_iter().map(kind_schema).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Enrichment",
        "description": "A reference in a message. What it refers to is read before the model is called.",
        "oneOf": kinds,
    })
}

/// The schema of one kind.
pub(super) fn kind_schema(kind: EnrichmentKind) -> Json {
    let (doc, mut properties, required) = match kind {
        EnrichmentKind::Pointer => (
            "Points at a zone, or at a tool; with a period also at the tool's entries of that time.",
            json!({
                "target": {"enum": ["zone", "tool"], "description": "What it points at."},
                "id": id("Id of the zone or the tool."),
                "period": period(),
            }),
            vec!["type", "target", "id"],
        ),
        EnrichmentKind::Use => (
            "Uses a tool: its configuration, schemas, entries and statistics, of a period or of all time.",
            json!({"id": id("Id of the tool."), "period": period()}),
            vec!["type", "id"],
        ),
        EnrichmentKind::Create => (
            "Creates a tool: the schemas of the type's configuration and entries.",
            json!({"tool_type": id("Type of the tool, such as tracking."), "zone": id("Id of the zone it is for.")}),
            vec!["type", "tool_type"],
        ),
        EnrichmentKind::ModifyConfig => (
            "Changes a tool's configuration: its schema, and as it is now.",
            json!({"id": id("Id of the tool.")}),
            vec!["type", "id"],
        ),
    };
    properties["type"] = json!({"const": kind.word()});
    let mut schema = json!({
        "type": "object",
        "description": doc,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if kind == EnrichmentKind::Pointer {
        schema["if"] = json!({"required": ["target"], "properties": {"target": {"const": "zone"}}});
        schema["then"] = json!({"properties": {"period": false}});
    }
    schema
}

fn id(doc: &str) -> Json {
    json!({"type": "string", "minLength": 1, "maxLength": ID_MAX, "description": doc})
}

fn period() -> Json {
    json!({
        "type": ["string", "object"],
        "minLength": 1,
        "maxLength": 40,
        "properties": {"from": instant("Not before"), "until": instant("Before")},
        "required": ["from", "until"],
        "additionalProperties": false,
        "description": "Relative to when the message is sent, offset_TYPE, TYPE one of HOUR, DAY, WEEK, MONTH, \
                        YEAR: 0_DAY is today, -1_WEEK last week. Or two times.",
    })
}

fn instant(doc: &str) -> Json {
    let doc = format!(
        "{doc}, RFC 3339: 2026-11-20T08:30:00Z. Without an offset it is in the workspace's time zone; a date alone \
         is the start of that day."
    );
    json!({"type": "string", "minLength": 1, "maxLength": 64, "description": doc})
}

/// Maximum characters of an id.
const ID_MAX: usize = 200;
