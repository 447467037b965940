//! UPDATE_DATA: another instant, name or data of one entry.

use async_trait::async_trait;
use entracte_application::commands::CommandSpec;
use entracte_application::ports::{PlanError, StoreError, Target};
use serde_json::json;

use super::{instant_schema, short_words};
use crate::json::{patched, with};
use crate::resources::ask::Ask;
use crate::resources::command::{Action, Decided, Declared, action};
use crate::resources::refusal::{faulty, not_found, nothing_to_change, refused_at};
use crate::resources::rows::{Row, TOOL};
use crate::resources::zones::id_schema;
use crate::resources::{targets, times, updates};

/// The action `tool_data.update`.
pub(crate) struct UpdateData;

const FIELDS: [&str; 3] = ["data", "timestamp", "name"];

#[async_trait]
impl Action for UpdateData {
    fn spec(&self) -> CommandSpec {
        action(Declared {
            word: "UPDATE_DATA",
            name: "tool_data.update",
            doc: "Changes one entry. entry_id: which. data: the fields of its data to change; a field that is null \
                  is cleared. timestamp: when it was. name: its name; null clears it. What is absent stays.",
            properties: json!({
                "entry_id": id_schema("Id of the entry."),
                "data": {"type": "object", "description": "Fields of its data to change; null clears one."},
                "timestamp": instant_schema("When it was"),
                "name": {"type": ["string", "null"], "maxLength": 120, "description": "New name."},
            }),
            required: &["entry_id"],
            example: json!({"entry_id": "ent_x_3_0_0", "data": {"value": 71.9}}),
        })
    }

    async fn decide(&self, ask: &Ask<'_>) -> Result<Decided, PlanError> {
        let before = ask.entry("entry_id").await?;
        if !FIELDS.iter().any(|field| ask.mentions(field)) {
            return Err(nothing_to_change(&FIELDS.join(", ")));
        }
        let tool = ask.find(TOOL, before.parent()).await?;
        let tool = tool.ok_or_else(|| not_found(TOOL, before.parent(), "/entry_id", "TOOL_INSTANCES"))?;
        let after = changed(ask, &tool, &before)?;
        let was = short_words(ask, &tool, before.member("data"));
        let when = before.row.at.map(|at| format!(" on {}", times::say(at))).unwrap_or_default();
        let what = format!("the entry {was}{when} in “{}”", tool.name());
        Ok(updates::decided(&what, &before, after, Vec::new()))
    }

    async fn target(&self, ask: &Ask<'_>) -> Result<Target, StoreError> {
        targets::entries(ask, ask.text("entry_id").into_iter()).await
    }
}

fn changed(ask: &Ask<'_>, tool: &Row, before: &Row) -> Result<Row, PlanError> {
    let at = ask.text("timestamp").map(times::read).transpose();
    let at = at.map_err(|why| refused_at("INVALID_ENTRY", "/timestamp", why))?;
    let name = if ask.mentions("name") { ask.text("name").unwrap_or_default().trim() } else { before.name() };
    let mut body = before.body.clone();
    if let Some(patch) = ask.given("data") {
        let data = patched(before.member("data"), patch);
        let known = ask.types.find(tool.tool_type(), "/entry_id")?;
        let faults = known.entries(tool.member("config")).faults(&data, "/data");
        if !faults.is_empty() {
            let head = format!("the entry would not fit “{}”", tool.name());
            return Err(faulty("INVALID_ENTRY", &head, &faults));
        }
        body = with(&body, "data", Some(data));
    }
    Ok(before.changed(name.to_owned(), at.or(before.row.at), body, ask.now()))
}
