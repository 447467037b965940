//! UPDATE_TOOL: changes the name, configuration or flags of a tool.

use async_trait::async_trait;
use entracte_application::ports::{
    ActionPlanError, ActionTarget, CommandSpec, SchemaRequirement, StoreError,
};
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::{always_send_schema, entry_schema, the_tool};
use crate::json::{patched, with};
use crate::resources::call_context::{ResourceCallContext, children_of};
use crate::resources::changes::validation_warning;
use crate::resources::command::{
    ResourceAction, ResourceActionPlan, ResourceCommandDeclaration, action, id_schema,
};
use crate::resources::contained_values;
use crate::resources::decoded_resource::DecodedResource;
use crate::resources::overwritten_values::NamedValues;
use crate::resources::refusal::nothing_to_change;
use crate::resources::resource_kinds::{ENTRY, TOOL};
use crate::resources::tool_types::schema_digest;
use crate::resources::zones::{name_schema, validation_schema};
use crate::resources::{targets, updates};

/// The action `tools.update`.
pub(crate) struct UpdateTool;

const FIELDS: [&str; 4] = ["name", "config", "require_validation", "always_send"];

#[async_trait]
impl ResourceAction for UpdateTool {
    fn spec(&self) -> CommandSpec {
        action(ResourceCommandDeclaration {
            word: "UPDATE_TOOL",
            name: "tools.update",
            properties: json!({
                "tool_id": id_schema("Id of the tool."),
                "name": name_schema("New name."),
                "config": {"type": "object", "description": "Settings to change; null clears one."},
                "require_validation": validation_schema("tool"),
                "always_send": always_send_schema(),
            }),
            required: &["tool_id"],
            example: json!({"tool_id": "tool_x_2_0", "config": {"max": 250}}),
        })
    }

    async fn decide(&self, ask: &ResourceCallContext<'_>) -> Result<ResourceActionPlan, ActionPlanError> {
        let before = ask.tool("tool_id").await?;
        if !FIELDS.iter().any(|field| ask.mentions(field)) {
            return Err(nothing_to_change(ask.texts, &FIELDS));
        }
        let after = changed(ask, &before)?;
        ask.name_is_free(&children_of(TOOL, before.parent()), after.name(), before.id()).await?;
        let warnings = warnings(ask, &before, &after).await?;
        let entry = new_entry_schema(ask, &before, after.member("config"));
        let decided = updates::plan_update(ask, &the_tool(ask, &before), &before, after, warnings);
        Ok(ResourceActionPlan { content: with(&decided.content, "entry", entry), ..decided })
    }

    async fn overwrites(&self, ask: &ResourceCallContext<'_>) -> Result<NamedValues, StoreError> {
        contained_values::updated(ask, TOOL, "tool_id").await
    }

    async fn target(&self, ask: &ResourceCallContext<'_>) -> Result<ActionTarget, StoreError> {
        targets::tool(ask, "tool_id").await
    }

    /// If the new configuration changes the entry schema, the result shows it.
    async fn schema(&self, ask: &ResourceCallContext<'_>) -> Result<Option<SchemaRequirement>, StoreError> {
        let (Some(id), Some(patch)) = (ask.text("tool_id"), ask.argument("config")) else { return Ok(None) };
        let Some(before) = ask.find(TOOL, id).await? else { return Ok(None) };
        let entry = new_entry_schema(ask, &before, &patched(before.member("config"), patch));
        Ok(entry.map(|entry| SchemaRequirement::Shows(vec![schema_digest(&entry)])))
    }
}

fn changed(
    ask: &ResourceCallContext<'_>,
    before: &DecodedResource,
) -> Result<DecodedResource, ActionPlanError> {
    let name = ask.text("name").map_or_else(|| before.name().to_owned(), |name| name.trim().to_owned());
    let mut body = before.body.clone();
    for flag in ["require_validation", "always_send"] {
        if let Some(value) = ask.argument(flag) {
            body = with(&body, flag, Some(value.clone()));
        }
    }
    if let Some(patch) = ask.argument("config") {
        let config = patched(before.member("config"), patch);
        let known = ask.types.find(ask.texts, before.tool_type(), "/tool_id")?;
        known.check_config(&config, ask.language())?;
        body = with(&body, "config", Some(config));
    }
    Ok(before.changed(name, before.row.at, body, ask.now()))
}

/// The entry schema under the new configuration; `None` if it does not change.
fn new_entry_schema(
    ask: &ResourceCallContext<'_>,
    before: &DecodedResource,
    config: &JsonValue,
) -> Option<JsonValue> {
    let schema = |config| entry_schema(ask, before.tool_type(), config);
    let (old, new) = (schema(before.member("config")), schema(config));
    new.filter(|new| Some(new) != old.as_ref())
}

async fn warnings(
    ask: &ResourceCallContext<'_>,
    before: &DecodedResource,
    after: &DecodedResource,
) -> Result<Vec<String>, StoreError> {
    let mut warnings: Vec<String> = validation_warning(ask.texts, TOOL, before, after).into_iter().collect();
    if before.member("config") != after.member("config") {
        let entries = ask.count(ENTRY, before.id()).await?;
        warnings.push(say!(ask.texts, "resources-warn-config", entries = entries));
    }
    if !before.flag("always_send") && after.flag("always_send") {
        warnings.push(say!(ask.texts, "resources-warn-always-send"));
    }
    Ok(warnings)
}
