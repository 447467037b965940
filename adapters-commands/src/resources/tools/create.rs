//! CREATE_TOOL: creates a tool in a zone.

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, ActionPlanError, ActionTarget, CommandSpec, ResourceChange, SchemaRequirement,
    StoreError,
};
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::{always_send_schema, entry_schema};
use crate::json::object;
use crate::resources::call_context::{ResourceCallContext, children_of};
use crate::resources::command::{
    ResourceAction, ResourceActionPlan, ResourceCommandDeclaration, action, id_schema,
};
use crate::resources::decoded_resource::{DecodedResource, new_row};
use crate::resources::resource_kinds::{TOOL, ZONE, fields};
use crate::resources::targets;
use crate::resources::tool_types::schema_digest;
use crate::resources::zones::{name_schema, validation_schema};

/// The action `tools.create`.
pub(crate) struct CreateTool;

#[async_trait]
impl ResourceAction for CreateTool {
    fn spec(&self) -> CommandSpec {
        action(ResourceCommandDeclaration {
            word: "CREATE_TOOL",
            name: "tools.create",
            properties: json!({
                "zone_id": id_schema("Id of the zone."),
                "tool_type": {"type": "string", "minLength": 1, "maxLength": 60, "description": "Tool type."},
                "name": name_schema("Name of the new tool."),
                "config": {"type": "object", "description": "Configuration, in the form of this type of tool."},
                "require_validation": validation_schema("tool"),
                "always_send": always_send_schema(),
            }),
            required: &["zone_id", "tool_type", "name"],
            example: json!({
                "zone_id": "zon_x_1_0",
                "tool_type": "tracking",
                "name": "Weight",
                "config": {"kind": "numeric", "unit": "kg", "min": 30, "max": 200},
            }),
        })
    }

    async fn decide(&self, ask: &ResourceCallContext<'_>) -> Result<ResourceActionPlan, ActionPlanError> {
        let zone = ask.zone("zone_id").await?;
        let tool = new_tool(ask, &zone)?;
        ask.name_is_free(&children_of(TOOL, zone.id()), tool.name(), "").await?;
        let (name, kind) = (tool.name(), tool.tool_type());
        let says = say!(ask.texts, "resources-create-tool", kind = kind, name = name, zone = zone.name());
        let after = fields(ask, &tool);
        let always = tool.flag("always_send").then(|| say!(ask.texts, "resources-warn-always-send"));
        Ok(ResourceActionPlan {
            content: object([
                ("id", Some(JsonValue::from(tool.id()))),
                ("name", Some(JsonValue::from(name))),
                ("entry", entry_schema(ask, kind, tool.member("config"))),
            ]),
            description: ActionDescription {
                says,
                after,
                warnings: always.into_iter().collect(),
                ..ActionDescription::default()
            },
            changes: vec![ResourceChange::Create(tool.row)],
        })
    }

    async fn target(&self, ask: &ResourceCallContext<'_>) -> Result<ActionTarget, StoreError> {
        targets::zone(ask, "zone_id").await
    }

    /// The result shows the schema of the new tool's entries, so that entries may follow without a query.
    async fn schema(&self, ask: &ResourceCallContext<'_>) -> Result<Option<SchemaRequirement>, StoreError> {
        let config = config(ask);
        let entry = ask.text("tool_type").and_then(|name| entry_schema(ask, name, &config));
        Ok(entry.map(|entry| SchemaRequirement::Shows(vec![schema_digest(&entry)])))
    }
}

fn config(ask: &ResourceCallContext<'_>) -> JsonValue {
    ask.argument("config").cloned().unwrap_or(JsonValue::Object(Vec::new()))
}

fn new_tool(
    ask: &ResourceCallContext<'_>,
    zone: &DecodedResource,
) -> Result<DecodedResource, ActionPlanError> {
    let tool_type = ask.required("tool_type")?;
    let config = config(ask);
    ask.types.find(ask.texts, tool_type, "/tool_type")?.check_config(&config, ask.language())?;
    let body = JsonValue::from([
        ("tool_type", JsonValue::from(tool_type)),
        ("require_validation", JsonValue::from(ask.flag("require_validation"))),
        ("always_send", JsonValue::from(ask.flag("always_send"))),
        ("config", config),
    ]);
    let name = ask.required("name")?.trim().to_owned();
    Ok(new_row(TOOL, ask.new_id("tool"), Some((ZONE, zone.id())), name, None, body, ask.now()))
}
