//! DELETE_TOOL: deletes a tool and its entries.

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, ActionPlanError, ActionTarget, CommandSpec, ResourceChange, StoreError,
};
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;
use serde_json::json;

use crate::json::number;
use crate::resources::call_context::ResourceCallContext;
use crate::resources::command::{
    ResourceAction, ResourceActionPlan, ResourceCommandDeclaration, deletion, id_schema,
};
use crate::resources::contained_values::{self, ToolEntriesFingerprint};
use crate::resources::overwritten_values::{self, NamedValues};
use crate::resources::resource_kinds::{TOOL, fields};
use crate::resources::targets;

/// The action `tools.delete`.
pub(crate) struct DeleteTool;

#[async_trait]
impl ResourceAction for DeleteTool {
    fn spec(&self) -> CommandSpec {
        deletion(ResourceCommandDeclaration {
            word: "DELETE_TOOL",
            name: "tools.delete",
            properties: json!({"tool_id": id_schema("Id of the tool.")}),
            required: &["tool_id"],
            example: json!({"tool_id": "tool_x_2_0"}),
        })
    }

    async fn decide(&self, ask: &ResourceCallContext<'_>) -> Result<ResourceActionPlan, ActionPlanError> {
        let tool = ask.tool("tool_id").await?;
        let entries = ToolEntriesFingerprint::load(ask, tool.id()).await?;
        let says = say!(ask.texts, "resources-delete-tool", name = tool.name(), entries = entries.count);
        // The deleted entries come first, because a screen may not show all fields.
        let mut before = vec![("entries".to_owned(), entries.fingerprint_text(ask))];
        before.extend(fields(ask, &tool));
        Ok(ResourceActionPlan {
            content: JsonValue::from([
                ("deleted", JsonValue::from(tool.id())),
                ("entries", number(entries.count)),
            ]),
            description: ActionDescription { says, before, ..ActionDescription::default() },
            changes: vec![ResourceChange::Delete {
                kind: TOOL.to_owned(),
                expected: tool.row.version,
                id: tool.row.id,
            }],
        })
    }

    async fn overwrites(&self, ask: &ResourceCallContext<'_>) -> Result<NamedValues, StoreError> {
        let mut values = overwritten_values::deleted(ask, TOOL, "tool_id").await?;
        if let Some(tool) = ask.text("tool_id") {
            values.extend(contained_values::entries_of(ask, tool).await?);
        }
        Ok(values)
    }

    async fn target(&self, ask: &ResourceCallContext<'_>) -> Result<ActionTarget, StoreError> {
        targets::tool(ask, "tool_id").await
    }
}
