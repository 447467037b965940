//! A small catalog for tests.

use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::time::Millis;
use serde_json::{Value, json};

use crate::ports::CommandSpec;

pub(crate) fn few_commands() -> Vec<CommandSpec> {
    let none = json!({"type": "object", "additionalProperties": false, "properties": {}});
    let create = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object", "additionalProperties": false, "required": ["tool", "entries"],
        "properties": {
            "entries": {"type": "array", "minItems": 1, "description": "The entries.", "items": {
                "type": "object", "additionalProperties": false, "required": ["value"],
                "properties": {
                    "value": {"type": "number", "minimum": 0},
                    "at": {"type": ["string", "null"], "format": "date-time", "description": "When;\n now if absent."}
                }
            }},
            "mode": {"enum": ["add", "replace"], "default": "add"},
            "tool": {"type": "string", "description": "Id of the tool."}
        }
    });
    vec![
        spec(
            "CREATE_DATA",
            "tool_data.batch_create",
            CommandKind::Action,
            create,
            Some(json!({
                "tool": "weight", "entries": [{"value": 70.5}]
            })),
        ),
        spec("ZONES", "zones.list", CommandKind::Query, none.clone(), None),
        CommandSpec { destructive: true, ..spec("WIPE", "zones.wipe", CommandKind::Action, none, None) },
    ]
}

fn spec(word: &str, name: &str, kind: CommandKind, schema: Value, example: Option<Value>) -> CommandSpec {
    CommandSpec {
        word: word.into(),
        name: name.into(),
        kind,
        effect: EffectClass::Local,
        schema: schema.into(),
        cacheable: false,
        independent: false,
        state_scopes: Vec::new(),
        destructive: false,
        egress: false,
        asks: false,
        four_eyes: false,
        approvers: None,
        server: None,
        agent: None,
        target: serde_json::Value::Null,
        timeout: None,
        settle: Millis(0),
        key_lifetime: Millis(0),
        task: None,
        doc: format!("Does what {word} says."),
        example,
    }
}
