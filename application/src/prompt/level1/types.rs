//! The types of resources, one per line: their configuration and the format of their data.

use entracte_domain::value::JsonValue;

use crate::command_naming::{CommandNaming, CommandPointer};
use crate::json_value::to_text;
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
pub(super) fn shape(schema: &JsonValue, depth: usize) -> String {
    if let Some(values) = list_of(schema, "enum") {
        return values.iter().map(to_text).collect::<Vec<_>>().join("|");
    }
    match schema.get("type") {
        Some(JsonValue::List(kinds)) => {
            kinds.iter().filter_map(JsonValue::as_text).collect::<Vec<_>>().join("|")
        }
        Some(JsonValue::Text(kind)) => {
            match (kind.as_str(), schema.get("items"), text_of(schema, "format")) {
                ("object", _, _) if depth < DEPTH_MAX => members(schema, depth),
                ("array", Some(items), _) => format!("[{}]", shape(items, depth + 1)),
                ("string", _, Some(format)) => format.to_owned(),
                (kind, _, _) => kind.to_owned(),
            }
        }
        _ => "any".to_owned(),
    }
}

fn members(schema: &JsonValue, depth: usize) -> String {
    let required = texts_in(schema, "required");
    let member = |(name, inner): &(String, JsonValue)| {
        let mark = if required.contains(&name.as_str()) { "" } else { "?" };
        format!("{name}{mark}: {}", shape(inner, depth + 1))
    };
    let members = schema.get("properties").and_then(JsonValue::as_object).unwrap_or_default();
    format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
}

/// The text of a keyword.
pub(super) fn text_of<'a>(schema: &'a JsonValue, keyword: &str) -> Option<&'a str> {
    schema.get(keyword).and_then(JsonValue::as_text)
}

/// The list of a keyword.
pub(super) fn list_of<'a>(schema: &'a JsonValue, keyword: &str) -> Option<&'a [JsonValue]> {
    schema.get(keyword).and_then(JsonValue::as_list)
}

/// The texts in the list of a keyword.
pub(super) fn texts_in<'a>(schema: &'a JsonValue, keyword: &str) -> Vec<&'a str> {
    list_of(schema, keyword).unwrap_or_default().iter().filter_map(JsonValue::as_text).collect()
}
