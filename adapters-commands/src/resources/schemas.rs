//! SCHEMA: the configuration schema of a tool type, or the entry schema of a tool.

use async_trait::async_trait;
use entracte_application::ports::{ActionPlanError, CommandSpec, SchemaRequirement, StoreError};
use entracte_application::schema::SchemaDocument;
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::call_context::ResourceCallContext;
use super::command::{ResourceCommandDeclaration, ResourceQuery, id_schema, query};
use super::refusal::refused;
use super::resource_kinds::TOOL;
use super::tool_types::{CompiledToolType, ToolType, schema_digest};

/// The query `schemas.get`.
pub(crate) struct GetSchemaQuery;

#[async_trait]
impl ResourceQuery for GetSchemaQuery {
    fn spec(&self) -> CommandSpec {
        query(ResourceCommandDeclaration {
            word: "SCHEMA",
            name: "schemas.get",
            properties: json!({
                "tool_type": {"type": "string", "minLength": 1, "maxLength": 60, "description": "Tool type."},
                "tool_id": id_schema("Id of a tool."),
            }),
            required: &[],
            example: json!({"tool_type": "tracking"}),
        })
    }

    async fn answer(&self, ask: &ResourceCallContext<'_>) -> Result<JsonValue, ActionPlanError> {
        match (ask.text("tool_type"), ask.text("tool_id")) {
            (None, None) => Ok(types(ask)),
            (Some(name), None) => {
                Ok(schema_answer(ask, ask.types.find(ask.texts, name, "/tool_type")?, None, None))
            }
            (None, Some(id)) => {
                let tool = ask.tool("tool_id").await?;
                let known = ask.types.find(ask.texts, tool.tool_type(), "/tool_id")?;
                Ok(schema_answer(ask, known, Some(id), Some(tool.member("config"))))
            }
            (Some(_), Some(_)) => Err(refused("INVALID_ARGUMENTS", say!(ask.texts, "resources-one-of-two"))),
        }
    }

    async fn schema(&self, ask: &ResourceCallContext<'_>) -> Result<Option<SchemaRequirement>, StoreError> {
        let entry = match (ask.text("tool_type"), ask.text("tool_id")) {
            (Some(name), None) => ask.types.get(name).map(|known| known.entry_schema(None)),
            (None, Some(id)) => ask.find(TOOL, id).await?.and_then(|tool| {
                Some(ask.types.get(tool.tool_type())?.entry_schema(Some(tool.member("config"))))
            }),
            (None, None) | (Some(_), Some(_)) => None,
        };
        Ok(entry.map(|entry| SchemaRequirement::Shows(vec![schema_digest(&entry)])))
    }
}

fn types(ask: &ResourceCallContext<'_>) -> JsonValue {
    let shown = |kind: &dyn ToolType| {
        JsonValue::from([
            ("tool_type", JsonValue::from(kind.name())),
            ("doc", JsonValue::from(kind.doc(ask.language()))),
        ])
    };
    JsonValue::from([("tool_types", JsonValue::List(ask.types.all().map(shown).collect()))])
}

/// The answer of SCHEMA for a type, or for a tool with this configuration.
pub(super) fn schema_answer(
    ask: &ResourceCallContext<'_>,
    known: &CompiledToolType,
    tool: Option<&str>,
    config: Option<&JsonValue>,
) -> JsonValue {
    let kind = known.tool_type();
    crate::json::object([
        ("tool_type", Some(JsonValue::from(kind.name()))),
        ("tool_id", tool.map(JsonValue::from)),
        ("doc", Some(JsonValue::from(kind.doc(ask.language())))),
        ("config", Some(SchemaDocument::from(kind.config_schema()).into_value())),
        ("entry", Some(known.entry_schema(config))),
    ])
}
