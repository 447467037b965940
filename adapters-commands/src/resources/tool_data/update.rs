//! UPDATE_DATA: changes the instant, name or data of one entry.

use async_trait::async_trait;
use entracte_application::command_naming::CommandPointer;
use entracte_application::ports::{
    ActionPlanError, ActionTarget, CommandSpec, SchemaRequirement, StoreError,
};
use entracte_application::texts::say;
use serde_json::json;

use super::{dated, needed, short_words};
use crate::json::{patched, with};
use crate::resources::call_context::ResourceCallContext;
use crate::resources::command::{
    ResourceAction, ResourceActionPlan, ResourceCommandDeclaration, action, id_schema,
};
use crate::resources::contained_values;
use crate::resources::decoded_resource::DecodedResource;
use crate::resources::instant_range::instant_schema;
use crate::resources::overwritten_values::NamedValues;
use crate::resources::refusal::{faulty, not_found, nothing_to_change, refused_at};
use crate::resources::resource_kinds::{ENTRY, TOOL};
use crate::resources::{targets, updates};

/// The action `tool_data.update`.
pub(crate) struct UpdateData;

const FIELDS: [&str; 3] = ["data", "timestamp", "name"];

#[async_trait]
impl ResourceAction for UpdateData {
    fn spec(&self) -> CommandSpec {
        action(ResourceCommandDeclaration {
            word: "UPDATE_DATA",
            name: "tool_data.update",
            properties: json!({
                "entry_id": id_schema("Id of the entry."),
                "data": {"type": "object", "description": "Fields of its data to change; null clears one."},
                "timestamp": instant_schema("When it was"),
                "name": {"type": ["string", "null"], "maxLength": 120, "description": "New name."},
            }),
            required: &["entry_id"],
            example: json!({"entry_id": "ent_x_3_0_0", "data": {"value": 71.9}}),
        })
    }

    async fn decide(&self, ask: &ResourceCallContext<'_>) -> Result<ResourceActionPlan, ActionPlanError> {
        let before = ask.entry("entry_id").await?;
        if !FIELDS.iter().any(|field| ask.mentions(field)) {
            return Err(nothing_to_change(ask.texts, &FIELDS));
        }
        let tool = ask.find(TOOL, before.parent()).await?;
        let tool = tool.ok_or_else(|| {
            not_found(ask.texts, TOOL, before.parent(), "/entry_id", &ask.command_name(CommandPointer::TOOLS))
        })?;
        let after = changed(ask, &tool, &before)?;
        let was = short_words(ask, &tool, before.member("data"));
        let when = before.row.at.map_or_else(|| was.clone(), |at| dated(ask, &was, at));
        let what = say!(ask.texts, "resources-the-entry", said = when, tool = tool.name());
        Ok(updates::plan_update(ask, &what, &before, after, Vec::new()))
    }

    async fn overwrites(&self, ask: &ResourceCallContext<'_>) -> Result<NamedValues, StoreError> {
        contained_values::updated(ask, ENTRY, "entry_id").await
    }

    async fn target(&self, ask: &ResourceCallContext<'_>) -> Result<ActionTarget, StoreError> {
        targets::entries(ask, ask.text("entry_id").into_iter()).await
    }

    async fn schema(&self, ask: &ResourceCallContext<'_>) -> Result<Option<SchemaRequirement>, StoreError> {
        let (Some(id), Some(_)) = (ask.text("entry_id"), ask.argument("data")) else { return Ok(None) };
        let Some(entry) = ask.find(ENTRY, id).await? else { return Ok(None) };
        let tool = ask.find(TOOL, entry.parent()).await?;
        Ok(tool.and_then(|tool| needed(ask, &tool)))
    }
}

fn changed(
    ask: &ResourceCallContext<'_>,
    tool: &DecodedResource,
    before: &DecodedResource,
) -> Result<DecodedResource, ActionPlanError> {
    let at = ask.text("timestamp").map(|text| ask.calendar.parse_instant(text)).transpose();
    let at = at.map_err(|fault| refused_at("INVALID_ENTRY", "/timestamp", fault.describe(ask.texts)))?;
    let name = if ask.mentions("name") { ask.text("name").unwrap_or_default().trim() } else { before.name() };
    let mut body = before.body.clone();
    if let Some(patch) = ask.argument("data") {
        let data = patched(before.member("data"), patch);
        let known = ask.types.find(ask.texts, tool.tool_type(), "/entry_id")?;
        let faults = known.entries(tool.member("config")).faults(ask.texts, &data, "/data");
        if !faults.is_empty() {
            let head = say!(ask.texts, "resources-entry-unfit", tool = tool.name());
            return Err(faulty(ask.texts, "INVALID_ENTRY", &head, &faults));
        }
        body = with(&body, "data", Some(data));
    }
    Ok(before.changed(name.to_owned(), at.or(before.row.at), body, ask.now()))
}
