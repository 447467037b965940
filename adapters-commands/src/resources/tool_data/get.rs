//! TOOL_DATA: the entries of a tool.

use async_trait::async_trait;
use entracte_application::commands::CommandSpec;
use entracte_application::ports::{PlanError, ResourceFilter};
use entracte_domain::time::Timestamp;
use entracte_domain::value::Value;
use serde_json::json;

use super::instant_schema;
use crate::resources::ask::{Ask, living_in};
use crate::resources::command::{Declared, Query, query};
use crate::resources::pages::{self, Size};
use crate::resources::refusal::refused_at;
use crate::resources::rows::{ENTRY, entry_value};
use crate::resources::times;
use crate::resources::zones::id_schema;

/// The query `tool_data.get`.
pub(crate) struct GetData;

const SIZE: Size = Size { usual: 50, most: 500 };

#[async_trait]
impl Query for GetData {
    fn spec(&self) -> CommandSpec {
        query(Declared {
            word: "TOOL_DATA",
            name: "tool_data.get",
            doc: "Shows entries of a tool, the newest first. tool_id: which tool. from, until: only entries at or \
                  after from and before until. order: newest or oldest first. limit, offset: one page of them; \
                  the answer says how many there are in total.",
            properties: pages::arguments(
                SIZE,
                json!({
                    "tool_id": id_schema("Id of the tool."),
                    "from": instant_schema("Not before"),
                    "until": instant_schema("Before"),
                    "order": {"enum": ["newest", "oldest"], "description": "Which come first; newest when absent."},
                }),
            ),
            required: &["tool_id"],
            example: json!({"tool_id": "tool_x_2_0", "from": "2026-11-01T00:00:00Z", "limit": 20}),
        })
    }

    async fn answer(&self, ask: &Ask<'_>) -> Result<Value, PlanError> {
        let tool = ask.tool("tool_id").await?;
        let (from, until) = (instant(ask, "from")?, instant(ask, "until")?);
        if from.is_some() && until.is_some() && from > until {
            return Err(refused_at("INVALID_PERIOD", "/until", "until is before from"));
        }
        let filter = ResourceFilter { from, until, ..living_in(ENTRY, tool.id()) };
        let page = match ask.text("order") {
            Some("oldest") => pages::first(ask, filter, SIZE).await?,
            Some(_) | None => pages::last(ask, filter, SIZE).await?,
        };
        Ok(page.value("entries", entry_value))
    }
}

fn instant(ask: &Ask<'_>, name: &str) -> Result<Option<Timestamp>, PlanError> {
    let read = ask.text(name).map(times::read).transpose();
    read.map_err(|why| refused_at("INVALID_PERIOD", &format!("/{name}"), why))
}
