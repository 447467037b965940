//! CREATE_TOOL: a new tool in a zone.

use async_trait::async_trait;
use entracte_application::commands::CommandSpec;
use entracte_application::ports::{Description, PlanError, ResourceChange, StoreError, Target};
use entracte_domain::value::Value;
use serde_json::json;

use super::always_send_schema;
use crate::resources::ask::{Ask, living_in};
use crate::resources::command::{Action, Decided, Declared, action};
use crate::resources::rows::{Row, TOOL, ZONE, fields, new_row};
use crate::resources::targets;
use crate::resources::zones::{id_schema, name_schema, validation_schema};

/// The action `tools.create`.
pub(crate) struct CreateTool;

#[async_trait]
impl Action for CreateTool {
    fn spec(&self) -> CommandSpec {
        action(Declared {
            word: "CREATE_TOOL",
            name: "tools.create",
            doc: "Makes a tool in a zone. zone_id: where. tool_type: what it keeps (SCHEMA lists the types and the \
                  configuration each takes). name: unique in the zone, letter case aside. config: the \
                  configuration, {} when absent. require_validation: ask a person before every action on it. \
                  always_send: give the model its data in every session.",
            properties: json!({
                "zone_id": id_schema("Id of the zone."),
                "tool_type": {"type": "string", "minLength": 1, "maxLength": 60, "description": "Tool type."},
                "name": name_schema("Name of the new tool."),
                "config": {"type": "object", "description": "Configuration, as SCHEMA shows it for the type."},
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

    async fn decide(&self, ask: &Ask<'_>) -> Result<Decided, PlanError> {
        let zone = ask.zone("zone_id").await?;
        let tool = new_tool(ask, &zone)?;
        ask.name_is_free(&living_in(TOOL, zone.id()), tool.name(), "").await?;
        let (name, kind) = (tool.name(), tool.tool_type());
        let says = format!("Create the {kind} tool “{name}” in the zone “{}”", zone.name());
        Ok(Decided {
            content: Value::from([("id", Value::from(tool.id())), ("name", Value::from(name))]),
            description: Description { says, after: fields(&tool), ..Description::default() },
            changes: vec![ResourceChange::Create(tool.row)],
        })
    }

    async fn target(&self, ask: &Ask<'_>) -> Result<Target, StoreError> {
        targets::zone(ask, "zone_id").await
    }
}

fn new_tool(ask: &Ask<'_>, zone: &Row) -> Result<Row, PlanError> {
    let tool_type = ask.required("tool_type")?;
    let config = ask.given("config").cloned().unwrap_or(Value::Object(Vec::new()));
    ask.types.find(tool_type, "/tool_type")?.check_config(&config)?;
    let body = Value::from([
        ("tool_type", Value::from(tool_type)),
        ("require_validation", Value::from(ask.flag("require_validation"))),
        ("always_send", Value::from(ask.flag("always_send"))),
        ("config", config),
    ]);
    let name = ask.required("name")?.trim().to_owned();
    Ok(new_row((TOOL, ask.new_id("tool")), Some((ZONE, zone.id())), name, None, body, ask.now()))
}
