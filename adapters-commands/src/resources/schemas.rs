//! SCHEMA: what a tool type takes, or what one tool's entries must look like.

use async_trait::async_trait;
use entracte_application::commands::CommandSpec;
use entracte_application::ports::PlanError;
use entracte_domain::value::Value;
use serde_json::json;

use super::ask::Ask;
use super::command::{Declared, Query, query};
use super::refusal::refused;
use super::tool_types::ToolType;
use super::zones::id_schema;
use crate::json::from_serde;

/// The query `schemas.get`.
pub(crate) struct GetSchema;

#[async_trait]
impl Query for GetSchema {
    fn spec(&self) -> CommandSpec {
        query(Declared {
            word: "SCHEMA",
            name: "schemas.get",
            doc: "Shows the JSON Schemas of a configuration and of an entry's data. tool_type: those of a type. \
                  tool_id: those of one tool, its entries as its configuration wants them. Give one of the two, \
                  or neither to list the types.",
            properties: json!({
                "tool_type": {"type": "string", "minLength": 1, "maxLength": 60, "description": "Tool type."},
                "tool_id": id_schema("Id of a tool."),
            }),
            required: &[],
            example: json!({"tool_type": "tracking"}),
        })
    }

    async fn answer(&self, ask: &Ask<'_>) -> Result<Value, PlanError> {
        match (ask.text("tool_type"), ask.text("tool_id")) {
            (None, None) => Ok(types(ask)),
            (Some(name), None) => Ok(schemas(ask.types.find(name, "/tool_type")?.tool_type(), None, None)),
            (None, Some(id)) => {
                let tool = ask.tool("tool_id").await?;
                let known = ask.types.find(tool.tool_type(), "/tool_id")?;
                Ok(schemas(known.tool_type(), Some(id), Some(tool.member("config"))))
            }
            (Some(_), Some(_)) => Err(refused("INVALID_ARGUMENTS", "give tool_type or tool_id, not both")),
        }
    }
}

fn types(ask: &Ask<'_>) -> Value {
    let shown = |kind: &dyn ToolType| {
        Value::from([("tool_type", Value::from(kind.name())), ("doc", Value::from(kind.doc()))])
    };
    Value::from([("tool_types", Value::List(ask.types.all().map(shown).collect()))])
}

fn schemas(kind: &dyn ToolType, tool: Option<&str>, config: Option<&Value>) -> Value {
    crate::json::object([
        ("tool_type", Some(Value::from(kind.name()))),
        ("tool_id", tool.map(Value::from)),
        ("doc", Some(Value::from(kind.doc()))),
        ("config", Some(from_serde(&kind.config_schema()))),
        ("entry", Some(from_serde(&kind.entry_schema(config)))),
    ])
}
