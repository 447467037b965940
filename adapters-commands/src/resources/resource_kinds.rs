//! Zones, their tools and the tools' entries as rows, so that their stored format is defined in one place.
//!
//! Bodies, JSON: a zone `{v, description?, require_validation}`, a tool `{v, tool_type, require_validation,
//! always_send, config}`, an entry `{v, data}`.

use entracte_application::command_naming::CommandPointer;
use entracte_application::ports::{ActionPlanError, ResourceFilter, StoreError};
use entracte_application::settings::Language;
use entracte_domain::value::JsonValue;

use super::call_context::{ResourceCallContext, children_of};
use super::decoded_resource::{DecodedResource, DescriptionField};
use super::refusal::{name_taken, not_found};
use super::value_text::truth;
use crate::json::object;

/// The kind of a zone's row.
pub(crate) const ZONE: &str = "zone";
/// The kind of a tool's row.
pub(crate) const TOOL: &str = "tool";
/// The kind of an entry's row.
pub(crate) const ENTRY: &str = "entry";

impl DecodedResource {
    /// A flag of its body; absent is `false`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.body.get(name).and_then(JsonValue::as_bool).unwrap_or_default()
    }

    /// The type of a tool.
    pub(crate) fn tool_type(&self) -> &str {
        self.text("tool_type").unwrap_or_default()
    }
}

impl ResourceCallContext<'_> {
    /// The workspace's language.
    pub(crate) fn language(&self) -> Language {
        self.request.locale.language
    }

    /// All arguments, unchanged.
    pub(crate) fn arguments(&self) -> &[(String, JsonValue)] {
        self.request.command.arguments.as_object().unwrap_or_default()
    }

    /// Whether the argument is present, even as null.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        self.request.command.arguments.get(name).is_some()
    }

    /// A boolean argument; absent is `false`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.argument(name).and_then(JsonValue::as_bool).unwrap_or_default()
    }

    /// The ids and versions of a parent's children of a kind, ordered by id.
    pub(crate) async fn versions(&self, kind: &str, parent: &str) -> Result<Vec<(String, u64)>, StoreError> {
        let mut versions = self.rows.versions(&self.request.workspace, &children_of(kind, parent)).await?;
        versions.sort();
        Ok(versions)
    }

    /// The zone whose id is in `argument`.
    pub(crate) async fn zone(&self, argument: &str) -> Result<DecodedResource, ActionPlanError> {
        self.named(ZONE, argument, CommandPointer::ZONES).await
    }

    /// The tool whose id is in `argument`.
    pub(crate) async fn tool(&self, argument: &str) -> Result<DecodedResource, ActionPlanError> {
        self.named(TOOL, argument, CommandPointer::TOOLS).await
    }

    /// The entry whose id is in `argument`.
    pub(crate) async fn entry(&self, argument: &str) -> Result<DecodedResource, ActionPlanError> {
        self.named(ENTRY, argument, CommandPointer::ENTRIES).await
    }

    async fn named(
        &self,
        kind: &str,
        argument: &str,
        lister: CommandPointer,
    ) -> Result<DecodedResource, ActionPlanError> {
        let id = self.required(argument)?;
        let row = self.find(kind, id).await?;
        row.ok_or_else(|| {
            not_found(self.texts, kind, id, &format!("/{argument}"), &self.command_name(lister))
        })
    }

    /// Refuses `name` if a selected row other than `own` has it, ignoring case.
    pub(crate) async fn name_is_free(
        &self,
        filter: &ResourceFilter,
        name: &str,
        own: &str,
    ) -> Result<(), ActionPlanError> {
        let rows = self.rows.resources_named(&self.request.workspace, filter, name).await?;
        match rows.iter().find(|row| row.id != own) {
            Some(row) => Err(name_taken(self.texts, &row.kind, &row.name, &row.id)),
            None => Ok(()),
        }
    }
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
