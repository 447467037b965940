//! ZONES: lists the zones.

use async_trait::async_trait;
use entracte_application::ports::{ActionPlanError, CommandSpec};
use entracte_domain::value::JsonValue;
use serde_json::json;

use crate::resources::call_context::{ResourceCallContext, all_of_kind};
use crate::resources::command::{ResourceCommandDeclaration, ResourceQuery, query};
use crate::resources::pages::{self, ROWS};
use crate::resources::resource_kinds::{ZONE, zone_value};
use crate::resources::scan;
use crate::resources::zones::part_schema;

/// The query `zones.list`.
pub(crate) struct ListZones;

#[async_trait]
impl ResourceQuery for ListZones {
    fn spec(&self) -> CommandSpec {
        query(ResourceCommandDeclaration {
            word: "ZONES",
            name: "zones.list",
            properties: pages::arguments(ROWS, json!({"name": part_schema()})),
            required: &[],
            example: json!({}),
        })
    }

    async fn answer(&self, ask: &ResourceCallContext<'_>) -> Result<JsonValue, ActionPlanError> {
        let page = match ask.text("name") {
            Some(_) => pages::page_of_rows(
                ask,
                scan::matching(ask, &all_of_kind(ZONE), scan::name_filter(ask, "name")).await?,
                ROWS,
            ),
            None => pages::first_page(ask, all_of_kind(ZONE), ROWS).await?,
        };
        Ok(page.value("zones", zone_value))
    }
}
