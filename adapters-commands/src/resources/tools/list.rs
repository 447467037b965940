//! TOOL_INSTANCES: the tools there are.

use async_trait::async_trait;
use entracte_application::commands::CommandSpec;
use entracte_application::ports::PlanError;
use entracte_domain::value::Value;
use serde_json::json;

use crate::resources::ask::{Ask, all, living_in};
use crate::resources::command::{Declared, Query, query};
use crate::resources::pages::{self, ROWS};
use crate::resources::rows::{TOOL, tool_value};
use crate::resources::zones::id_schema;

/// The query `tools.list`.
pub(crate) struct ListTools;

#[async_trait]
impl Query for ListTools {
    fn spec(&self) -> CommandSpec {
        query(Declared {
            word: "TOOL_INSTANCES",
            name: "tools.list",
            doc: "Lists the tools by name: id, zone, type, name and flags. zone_id: only those in this zone; \
                  all when absent.",
            properties: pages::arguments(ROWS, json!({"zone_id": id_schema("Id of a zone.")})),
            required: &[],
            example: json!({"zone_id": "zon_x_1_0"}),
        })
    }

    async fn answer(&self, ask: &Ask<'_>) -> Result<Value, PlanError> {
        let filter = match ask.text("zone_id") {
            Some(_) => living_in(TOOL, ask.zone("zone_id").await?.id()),
            None => all(TOOL),
        };
        Ok(pages::first(ask, filter, ROWS).await?.value("tools", tool_value))
    }
}
