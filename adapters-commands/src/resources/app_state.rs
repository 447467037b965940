//! APP_STATE: an overview of the whole workspace, zones with their tools.

use async_trait::async_trait;
use entracte_application::ports::{ActionPlanError, CommandSpec, ResourceFilter};
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::call_context::{ResourceCallContext, all_of_kind};
use super::command::{ResourceCommandDeclaration, ResourceQuery, query};
use super::decoded_resource::DecodedResource;
use super::resource_kinds::{TOOL, ZONE, zone_value};
use crate::json::{number, with};

/// The query `app.state`.
pub(crate) struct AppStateQuery;

/// The most zones shown.
const MOST_ZONES: u32 = 200;
/// The most tools shown, in all zones together.
const MOST_TOOLS: u32 = 500;

#[async_trait]
impl ResourceQuery for AppStateQuery {
    fn spec(&self) -> CommandSpec {
        query(ResourceCommandDeclaration {
            word: "APP_STATE",
            name: "app.state",
            properties: json!({}),
            required: &[],
            example: json!({}),
        })
    }

    async fn answer(&self, ask: &ResourceCallContext<'_>) -> Result<JsonValue, ActionPlanError> {
        let total = ask.count_all(&all_of_kind(ZONE)).await?;
        let tools_total = ask.count_all(&all_of_kind(TOOL)).await?;
        let zones = ask.list(&ResourceFilter { limit: Some(MOST_ZONES), ..all_of_kind(ZONE) }).await?;
        let tools = ask.list(&ResourceFilter { limit: Some(MOST_TOOLS), ..all_of_kind(TOOL) }).await?;
        let more = total > u64::from(MOST_ZONES) || tools_total > u64::from(MOST_TOOLS);
        Ok(JsonValue::from([
            ("total", number(total)),
            ("tools_total", number(tools_total)),
            ("more", JsonValue::from(more)),
            ("zones", JsonValue::List(zones.iter().map(|zone| with_tools(zone, &tools)).collect())),
        ]))
    }
}

fn with_tools(zone: &DecodedResource, tools: &[DecodedResource]) -> JsonValue {
    let inside = tools.iter().filter(|tool| tool.parent() == zone.id()).map(|tool| {
        JsonValue::from([
            ("id", JsonValue::from(tool.id())),
            ("tool_type", JsonValue::from(tool.tool_type())),
            ("name", JsonValue::from(tool.name())),
        ])
    });
    with(&zone_value(zone), "tools", Some(JsonValue::List(inside.collect())))
}
