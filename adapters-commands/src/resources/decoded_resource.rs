//! Decodes rows of a workspace into zones, tools and entries, and builds new ones, so that the stored format is
//! defined in one place.
//!
//! Bodies, JSON: a zone `{v, description?, require_validation}`, a tool `{v, tool_type, require_validation,
//! always_send, config}`, an entry `{v, data}`. Unknown members are preserved.

use entracte_application::ports::{ResourceRow, StoreError};
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;

use super::call_context::ResourceCallContext;
use super::value_text::truth;
use crate::json::{self, object};

/// The kind of a zone's row.
pub(crate) const ZONE: &str = "zone";
/// The kind of a tool's row.
pub(crate) const TOOL: &str = "tool";
/// The kind of an entry's row.
pub(crate) const ENTRY: &str = "entry";

/// A row with its decoded body.
#[derive(Clone, Debug)]
pub(crate) struct DecodedResource {
    pub(crate) row: ResourceRow,
    pub(crate) body: JsonValue,
}

/// A name and value shown to people.
pub(crate) type DescriptionField = (String, String);

impl DecodedResource {
    /// Decodes a row; a body that is not a JSON object of a known version is an error that names it.
    pub(crate) fn read(row: ResourceRow) -> Result<Self, StoreError> {
        let damaged = |why: String| StoreError::Inconsistent(format!("{} {}: {why}", row.kind, row.id));
        let body =
            json::parse(&row.body).map_err(|fault| damaged(format!("its body is not JSON: {fault}")))?;
        match body.get("v").and_then(JsonValue::as_i64) {
            Some(VERSION) => Ok(Self { row, body }),
            Some(v) => {
                Err(damaged(format!("its body has version {v}; this version of Entracte reads {VERSION}")))
            }
            None => Err(damaged("its body has no version".to_owned())),
        }
    }

    /// The id of the row.
    pub(crate) fn id(&self) -> &str {
        &self.row.id
    }

    /// The name of the row.
    pub(crate) fn name(&self) -> &str {
        &self.row.name
    }

    /// The id of its parent row.
    pub(crate) fn parent(&self) -> &str {
        self.row.parent.as_deref().unwrap_or_default()
    }

    /// A flag of its body; absent is `false`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.body.get(name).and_then(JsonValue::as_bool).unwrap_or_default()
    }

    /// A string of its body.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.body.get(name).and_then(JsonValue::as_text)
    }

    /// A member of its body; absent is `null`.
    pub(crate) fn member(&self, name: &str) -> &JsonValue {
        self.body.get(name).unwrap_or(&JsonValue::Null)
    }

    /// The type of a tool.
    pub(crate) fn tool_type(&self) -> &str {
        self.text("tool_type").unwrap_or_default()
    }

    /// The row with another name, instant or body, and the next version.
    pub(crate) fn changed(
        &self,
        name: String,
        at: Option<Timestamp>,
        body: JsonValue,
        now: Timestamp,
    ) -> Self {
        let row = ResourceRow {
            name,
            at,
            body: body.to_json(),
            version: self.row.version + 1,
            updated_at: now,
            ..self.row.clone()
        };
        Self { row, body }
    }
}

/// A new row; `parent` is its parent's kind and id.
pub(crate) fn new_row(
    kind: &str,
    id: String,
    parent: Option<(&str, &str)>,
    name: String,
    at: Option<Timestamp>,
    body: JsonValue,
    now: Timestamp,
) -> DecodedResource {
    let mut members = vec![("v".to_owned(), JsonValue::from(VERSION))];
    members.extend_from_slice(body.as_object().unwrap_or_default());
    let body = JsonValue::Object(members);
    let row = ResourceRow {
        kind: kind.to_owned(),
        id,
        parent: parent.map(|(_, id)| id.to_owned()),
        parent_kind: parent.map(|(kind, _)| kind.to_owned()),
        name,
        at,
        version: 1,
        body: body.to_json(),
        created_at: now,
        updated_at: now,
    };
    DecodedResource { row, body }
}

/// A zone as JSON for the model.
pub(crate) fn zone_value(zone: &DecodedResource) -> JsonValue {
    object([
        ("id", Some(JsonValue::from(zone.id()))),
        ("name", Some(JsonValue::from(zone.name()))),
        ("description", zone.text("description").map(JsonValue::from)),
        ("require_validation", Some(JsonValue::from(zone.flag("require_validation")))),
    ])
}

/// A tool as JSON for lists, without its configuration.
pub(crate) fn tool_value(tool: &DecodedResource) -> JsonValue {
    JsonValue::from([
        ("id", JsonValue::from(tool.id())),
        ("zone_id", JsonValue::from(tool.parent())),
        ("tool_type", JsonValue::from(tool.tool_type())),
        ("name", JsonValue::from(tool.name())),
        ("require_validation", JsonValue::from(tool.flag("require_validation"))),
        ("always_send", JsonValue::from(tool.flag("always_send"))),
    ])
}

/// An entry as JSON for the model.
pub(crate) fn entry_value(ask: &ResourceCallContext<'_>, entry: &DecodedResource) -> JsonValue {
    object([
        ("id", Some(JsonValue::from(entry.id()))),
        ("timestamp", entry.row.at.map(|at| JsonValue::from(ask.calendar.format_instant(at)))),
        ("name", Some(entry.name()).filter(|name| !name.is_empty()).map(JsonValue::from)),
        ("data", Some(entry.member("data").clone())),
    ])
}

/// The fields of a row: stored names, values for people.
pub(crate) fn fields(ask: &ResourceCallContext<'_>, row: &DecodedResource) -> Vec<DescriptionField> {
    let mut fields = Vec::new();
    if !row.name().is_empty() {
        fields.push(("name".to_owned(), row.name().to_owned()));
    }
    if let Some(at) = row.row.at {
        fields.push(("timestamp".to_owned(), ask.calendar.format_instant(at)));
    }
    for (name, value) in row.body.as_object().unwrap_or_default() {
        match value {
            _ if name == "v" => {}
            JsonValue::Object(members) => {
                fields.extend(
                    members.iter().map(|(inner, value)| (format!("{name}.{inner}"), say(ask, value))),
                );
            }
            value => fields.push((name.clone(), say(ask, value))),
        }
    }
    fields
}

fn say(ask: &ResourceCallContext<'_>, value: &JsonValue) -> String {
    match value {
        JsonValue::Bool(value) => truth(ask.texts, *value),
        JsonValue::Text(text) => text.clone(),
        JsonValue::Null | JsonValue::Number(_) | JsonValue::List(_) | JsonValue::Object(_) => value.to_json(),
    }
}

/// The format version of the bodies.
const VERSION: i64 = 1;
