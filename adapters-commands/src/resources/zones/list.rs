//! ZONES: the zones there are.

use async_trait::async_trait;
use entracte_application::commands::CommandSpec;
use entracte_application::ports::PlanError;
use entracte_domain::value::Value;
use serde_json::json;

use crate::resources::ask::{Ask, all};
use crate::resources::command::{Declared, Query, query};
use crate::resources::pages::{self, ROWS};
use crate::resources::rows::{ZONE, zone_value};

/// The query `zones.list`.
pub(crate) struct ListZones;

#[async_trait]
impl Query for ListZones {
    fn spec(&self) -> CommandSpec {
        query(Declared {
            word: "ZONES",
            name: "zones.list",
            doc: "Lists the zones by name: id, name, description, and whether actions in the zone need leave.",
            properties: pages::arguments(ROWS, json!({})),
            required: &[],
            example: json!({}),
        })
    }

    async fn answer(&self, ask: &Ask<'_>) -> Result<Value, PlanError> {
        Ok(pages::first(ask, all(ZONE), ROWS).await?.value("zones", zone_value))
    }
}
