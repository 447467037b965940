//! ZONE_CONFIG: shows one zone and its tools.

use async_trait::async_trait;
use entracte_application::ports::{ActionPlanError, CommandSpec, ResourceFilter};
use entracte_domain::value::JsonValue;
use serde_json::json;

use crate::json::{number, with};
use crate::resources::call_context::{ResourceCallContext, children_of};
use crate::resources::command::{ResourceCommandDeclaration, ResourceQuery, id_schema, query};
use crate::resources::pages::ROWS;
use crate::resources::resource_kinds::{TOOL, tool_value, zone_value};

/// The query `zones.get`.
pub(crate) struct GetZone;

#[async_trait]
impl ResourceQuery for GetZone {
    fn spec(&self) -> CommandSpec {
        query(ResourceCommandDeclaration {
            word: "ZONE_CONFIG",
            name: "zones.get",
            properties: json!({"zone_id": id_schema("Id of the zone.")}),
            required: &["zone_id"],
            example: json!({"zone_id": "zon_x_1_0"}),
        })
    }

    async fn answer(&self, ask: &ResourceCallContext<'_>) -> Result<JsonValue, ActionPlanError> {
        let zone = ask.zone("zone_id").await?;
        let total = ask.count(TOOL, zone.id()).await?;
        let filter = ResourceFilter { limit: Some(ROWS.usual), ..children_of(TOOL, zone.id()) };
        let tools = ask.list(&filter).await?;
        let more = total > u64::from(ROWS.usual);
        let tools = JsonValue::List(tools.iter().map(tool_value).collect());
        let shown = with(&zone_value(&zone), "total", Some(number(total)));
        Ok(with(&with(&shown, "more", Some(JsonValue::from(more))), "tools", Some(tools)))
    }
}
