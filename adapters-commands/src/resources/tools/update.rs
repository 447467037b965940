//! UPDATE_TOOL: another name, configuration or flag.

use async_trait::async_trait;
use entracte_application::commands::CommandSpec;
use entracte_application::ports::{PlanError, StoreError, Target};
use serde_json::json;

use super::always_send_schema;
use crate::json::{patched, with};
use crate::resources::ask::{Ask, living_in};
use crate::resources::command::{Action, Decided, Declared, action};
use crate::resources::refusal::nothing_to_change;
use crate::resources::rows::{ENTRY, Row, TOOL};
use crate::resources::words::{counted, validation_warning};
use crate::resources::zones::{id_schema, name_schema, validation_schema};
use crate::resources::{targets, updates};

/// The action `tools.update`.
pub(crate) struct UpdateTool;

const FIELDS: [&str; 4] = ["name", "config", "require_validation", "always_send"];

#[async_trait]
impl Action for UpdateTool {
    fn spec(&self) -> CommandSpec {
        action(Declared {
            word: "UPDATE_TOOL",
            name: "tools.update",
            doc: "Changes a tool. tool_id: which. name, require_validation, always_send: the new values. config: \
                  the settings to change; a setting that is null is cleared. What is absent stays. Entries \
                  already kept are not changed.",
            properties: json!({
                "tool_id": id_schema("Id of the tool."),
                "name": name_schema("New name."),
                "config": {"type": "object", "description": "Settings to change; null clears one."},
                "require_validation": validation_schema("tool"),
                "always_send": always_send_schema(),
            }),
            required: &["tool_id"],
            example: json!({"tool_id": "tool_x_2_0", "config": {"max": 250}}),
        })
    }

    async fn decide(&self, ask: &Ask<'_>) -> Result<Decided, PlanError> {
        let before = ask.tool("tool_id").await?;
        if !FIELDS.iter().any(|field| ask.mentions(field)) {
            return Err(nothing_to_change(&FIELDS.join(", ")));
        }
        let after = changed(ask, &before)?;
        ask.name_is_free(&living_in(TOOL, before.parent()), after.name(), before.id()).await?;
        let warnings = warnings(ask, &before, &after).await?;
        Ok(updates::decided(&format!("the tool “{}”", before.name()), &before, after, warnings))
    }

    async fn target(&self, ask: &Ask<'_>) -> Result<Target, StoreError> {
        targets::tool(ask, "tool_id").await
    }
}

fn changed(ask: &Ask<'_>, before: &Row) -> Result<Row, PlanError> {
    let name = ask.text("name").map_or_else(|| before.name().to_owned(), |name| name.trim().to_owned());
    let mut body = before.body.clone();
    for flag in ["require_validation", "always_send"] {
        if let Some(value) = ask.given(flag) {
            body = with(&body, flag, Some(value.clone()));
        }
    }
    if let Some(patch) = ask.given("config") {
        let config = patched(before.member("config"), patch);
        ask.types.find(before.tool_type(), "/tool_id")?.check_config(&config)?;
        body = with(&body, "config", Some(config));
    }
    Ok(before.changed(name, before.row.at, body, ask.now()))
}

async fn warnings(ask: &Ask<'_>, before: &Row, after: &Row) -> Result<Vec<String>, StoreError> {
    let mut warnings: Vec<String> = validation_warning("tool", before, after).into_iter().collect();
    if before.member("config") != after.member("config") {
        let entries = counted(ask.count(ENTRY, before.id()).await?, "entry", "entries");
        warnings.push(format!("changes the configuration of a tool that has {entries}"));
    }
    if !before.flag("always_send") && after.flag("always_send") {
        warnings.push("the model will get this tool's data in every session".to_owned());
    }
    Ok(warnings)
}
