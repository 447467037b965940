//! The types of resources, one per line: their configuration and the format of their data.

use serde_json::Value;

use crate::command_naming::{CommandNaming, CommandPointer};
use crate::ports::{CommandSpec, ResourceTypeSpec};
use crate::texts::{LocalizedTexts, say};

/// Maximum depth of a schema; deeper values are described by their type only.
const DEPTH_MAX: usize = 4;

/// One line per type; `None` if there are no types.
pub(super) fn text(
    texts: &LocalizedTexts,
    catalog: &[CommandSpec],
    types: &[ResourceTypeSpec],
    naming: CommandNaming,
) -> Option<String> {
    let first = say!(texts, "prompt-types-title");
    let more = catalog
        .iter()
        .any(|spec| spec.name == CommandPointer::SCHEMA.name)
        .then(|| say!(texts, "prompt-types-more", SCHEMA = naming.format_pointer(CommandPointer::SCHEMA)));
    let line = |known: &ResourceTypeSpec| {
        let (config, data) = (shape(&known.config, 0), shape(&known.data, 0));
        say!(texts, "prompt-type", name = &known.name, doc = &known.doc, config = config, data = data)
    };
    let head = [Some(first), more].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let lines = std::iter::once(head).chain(types.iter().map(line));
    (!types.is_empty()).then(|| lines.collect::<Vec<_>>().join("\n"))
}

/// A schema in the notation that models know: `{kind: "a"|"b", min?: number}`. It is the same in every language.
pub(super) fn shape(schema: &Value, depth: usize) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join("|");
    }
    match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|"),
        Value::String(kind) => match (kind.as_str(), schema.get("items"), schema["format"].as_str()) {
            ("object", _, _) if depth < DEPTH_MAX => members(schema, depth),
            ("array", Some(items), _) => format!("[{}]", shape(items, depth + 1)),
            ("string", _, Some(format)) => format.to_owned(),
            (kind, _, _) => kind.to_owned(),
        },
        _ => "any".to_owned(),
    }
}

fn members(schema: &Value, depth: usize) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let member = |(name, inner): (&String, &Value)| {
        let mark = if required.contains(&name.as_str()) { "" } else { "?" };
        format!("{name}{mark}: {}", shape(inner, depth + 1))
    };
    let members = schema["properties"].as_object().into_iter().flatten().map(member);
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}
