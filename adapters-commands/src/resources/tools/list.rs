//! TOOL_INSTANCES: lists the tools.

use async_trait::async_trait;
use entracte_application::ports::{ActionPlanError, CommandSpec};
use entracte_domain::value::JsonValue;
use serde_json::json;

use crate::resources::call_context::{ResourceCallContext, all_of_kind, children_of};
use crate::resources::command::{ResourceCommandDeclaration, ResourceQuery, id_schema, query};
use crate::resources::decoded_resource::DecodedResource;
use crate::resources::pages::{self, ROWS};
use crate::resources::resource_kinds::{TOOL, tool_value};
use crate::resources::scan;
use crate::resources::zones::part_schema;

/// The query `tools.list`.
pub(crate) struct ListTools;

#[async_trait]
impl ResourceQuery for ListTools {
    fn spec(&self) -> CommandSpec {
        query(ResourceCommandDeclaration {
            word: "TOOL_INSTANCES",
            name: "tools.list",
            properties: pages::arguments(
                ROWS,
                json!({
                    "zone_id": id_schema("Id of a zone."),
                    "tool_type": {"type": "string", "minLength": 1, "maxLength": 60, "description": "Tool type."},
                    "name": part_schema(),
                }),
            ),
            required: &[],
            example: json!({"zone_id": "zon_x_1_0"}),
        })
    }

    async fn answer(&self, ask: &ResourceCallContext<'_>) -> Result<JsonValue, ActionPlanError> {
        let filter = match ask.text("zone_id") {
            Some(_) => children_of(TOOL, ask.zone("zone_id").await?.id()),
            None => all_of_kind(TOOL),
        };
        if let Some(tool_type) = ask.text("tool_type") {
            ask.types.find(ask.texts, tool_type, "/tool_type")?;
        }
        let page = if ask.text("tool_type").is_some() || ask.text("name").is_some() {
            pages::page_of_rows(ask, scan::matching(ask, &filter, fitting(ask)).await?, ROWS)
        } else {
            pages::first_page(ask, filter, ROWS).await?
        };
        Ok(page.value("tools", tool_value))
    }
}

fn fitting(ask: &ResourceCallContext<'_>) -> impl Fn(&DecodedResource) -> bool + Send + Sync + use<> {
    let named = scan::name_filter(ask, "name");
    let tool_type = ask.text("tool_type").map(str::to_owned);
    move |tool| named(tool) && tool_type.as_ref().is_none_or(|wanted| tool.tool_type() == wanted)
}
