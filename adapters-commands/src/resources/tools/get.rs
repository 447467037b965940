//! TOOL_CONFIG: shows one tool with its configuration.

use async_trait::async_trait;
use entracte_application::ports::{ActionPlanError, CommandSpec};
use entracte_domain::value::JsonValue;
use serde_json::json;

use crate::json::{number, with};
use crate::resources::call_context::ResourceCallContext;
use crate::resources::command::{ResourceCommandDeclaration, ResourceQuery, id_schema, query};
use crate::resources::resource_kinds::{ENTRY, tool_value};

/// The query `tools.get`.
pub(crate) struct GetTool;

#[async_trait]
impl ResourceQuery for GetTool {
    fn spec(&self) -> CommandSpec {
        query(ResourceCommandDeclaration {
            word: "TOOL_CONFIG",
            name: "tools.get",
            properties: json!({"tool_id": id_schema("Id of the tool.")}),
            required: &["tool_id"],
            example: json!({"tool_id": "tool_x_2_0"}),
        })
    }

    async fn answer(&self, ask: &ResourceCallContext<'_>) -> Result<JsonValue, ActionPlanError> {
        let tool = ask.tool("tool_id").await?;
        let entries = ask.count(ENTRY, tool.id()).await?;
        let shown = with(&tool_value(&tool), "config", Some(tool.member("config").clone()));
        Ok(with(&shown, "entries", Some(number(entries))))
    }
}
