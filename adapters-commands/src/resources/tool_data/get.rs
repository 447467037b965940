//! TOOL_DATA: lists the entries of a tool.

use async_trait::async_trait;
use entracte_application::ports::{ActionPlanError, CommandSpec, ResourceFilter};
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::entry_filter::{self, EntryFilter};
use crate::resources::call_context::{ResourceCallContext, children_of};
use crate::resources::command::{ResourceCommandDeclaration, ResourceQuery, id_schema, query};
use crate::resources::pages::{self, PageSizeLimits, ResourcePage};
use crate::resources::resource_kinds::{ENTRY, entry_value};
use crate::resources::{instant_range, scan};

/// The query `tool_data.get`.
pub(crate) struct GetData;

const SIZE: PageSizeLimits = PageSizeLimits { usual: 50, most: 500 };

#[async_trait]
impl ResourceQuery for GetData {
    fn spec(&self) -> CommandSpec {
        let properties = json!({
            "tool_id": id_schema("Id of the tool."),
            "order": {"enum": ["newest", "oldest"], "description": "Which come first; newest when absent."},
        });
        query(ResourceCommandDeclaration {
            word: "TOOL_DATA",
            name: "tool_data.get",
            properties: pages::arguments(SIZE, instant_range::arguments(entry_filter::arguments(properties))),
            required: &["tool_id"],
            example: json!({"tool_id": "tool_x_2_0", "from": "2026-11-01T00:00:00Z", "limit": 20}),
        })
    }

    async fn answer(&self, ask: &ResourceCallContext<'_>) -> Result<JsonValue, ActionPlanError> {
        let tool = ask.tool("tool_id").await?;
        let bounds = instant_range::requested_range(ask)?;
        let filter =
            ResourceFilter { from: bounds.from, until: bounds.until, ..children_of(ENTRY, tool.id()) };
        let oldest = ask.text("order") == Some("oldest");
        let page = match (entry_filter::requested_filter(ask, &tool)?, oldest) {
            (Some(wanted), oldest) => chosen(ask, &filter, &wanted, oldest).await?,
            (None, true) => pages::first_page(ask, filter, SIZE).await?,
            (None, false) => pages::last_page(ask, filter, SIZE).await?,
        };
        Ok(bounds.echo_range(ask, page.value("entries", |entry| entry_value(ask, entry))))
    }
}

async fn chosen(
    ask: &ResourceCallContext<'_>,
    filter: &ResourceFilter,
    wanted: &EntryFilter,
    oldest: bool,
) -> Result<ResourcePage, ActionPlanError> {
    let mut rows = scan::matching(ask, filter, |entry| wanted.matches(entry)).await?;
    if !oldest {
        rows.reverse();
    }
    Ok(pages::page_of_rows(ask, rows, SIZE))
}
