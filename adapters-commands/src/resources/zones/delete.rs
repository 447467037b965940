//! DELETE_ZONE: deletes a zone with its tools and their entries.

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, ActionPlanError, ActionTarget, CommandSpec, ResourceChange, StoreError,
};
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;
use serde_json::json;

use crate::json::number;
use crate::resources::call_context::{ResourceCallContext, children_of};
use crate::resources::command::{
    ResourceAction, ResourceActionPlan, ResourceCommandDeclaration, deletion, id_schema,
};
use crate::resources::contained_values::{self, ToolEntriesFingerprint};
use crate::resources::decoded_resource::DecodedResource;
use crate::resources::overwritten_values::{self, NamedValues};
use crate::resources::resource_kinds::{TOOL, ZONE, fields};
use crate::resources::targets;
use crate::resources::value_text::{first_of, short};

/// The action `zones.delete`.
pub(crate) struct DeleteZone;

#[async_trait]
impl ResourceAction for DeleteZone {
    fn spec(&self) -> CommandSpec {
        deletion(ResourceCommandDeclaration {
            word: "DELETE_ZONE",
            name: "zones.delete",
            properties: json!({"zone_id": id_schema("Id of the zone.")}),
            required: &["zone_id"],
            example: json!({"zone_id": "zon_x_1_0"}),
        })
    }

    async fn decide(&self, ask: &ResourceCallContext<'_>) -> Result<ResourceActionPlan, ActionPlanError> {
        let zone = ask.zone("zone_id").await?;
        let tools = ask.list(&children_of(TOOL, zone.id())).await?;
        let (mut entries, mut before) = (0, Vec::new());
        for tool in &tools {
            let held = ToolEntriesFingerprint::load(ask, tool.id()).await?;
            entries += held.count;
            let said =
                say!(ask.texts, "resources-tool-held", name = tool.name(), held = held.fingerprint_text(ask));
            before.push((tool.id().to_owned(), said));
        }
        // The deleted tools come first, because a screen may not show all fields.
        before.extend(fields(ask, &zone));
        let count = u64::try_from(tools.len()).unwrap_or(u64::MAX);
        let quoted = |tool: &DecodedResource| say!(ask.texts, "resources-quoted", text = short(tool.name()));
        let names = first_of(ask.texts, tools.iter().map(quoted));
        let says = say!(
            ask.texts,
            "resources-delete-zone",
            name = zone.name(),
            tools = count,
            entries = entries,
            names = names
        );
        Ok(ResourceActionPlan {
            content: JsonValue::from([
                ("deleted", JsonValue::from(zone.id())),
                ("tools", number(count)),
                ("entries", number(entries)),
            ]),
            description: ActionDescription { says, before, ..ActionDescription::default() },
            changes: vec![ResourceChange::Delete {
                kind: ZONE.to_owned(),
                expected: zone.row.version,
                id: zone.row.id,
            }],
        })
    }

    async fn overwrites(&self, ask: &ResourceCallContext<'_>) -> Result<NamedValues, StoreError> {
        let mut values = overwritten_values::deleted(ask, ZONE, "zone_id").await?;
        if let Some(zone) = ask.text("zone_id") {
            values.extend(contained_values::tools_of(ask, zone).await?);
        }
        Ok(values)
    }

    async fn target(&self, ask: &ResourceCallContext<'_>) -> Result<ActionTarget, StoreError> {
        targets::zone_and_tools(ask, "zone_id").await
    }
}
