//! CREATE_ZONE: creates a zone.

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, ActionPlanError, ActionTarget, CommandSpec, ResourceChange, StoreError,
};
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::{name_schema, validation_schema};
use crate::json::object;
use crate::resources::call_context::{ResourceCallContext, all_of_kind};
use crate::resources::command::{ResourceAction, ResourceActionPlan, ResourceCommandDeclaration, action};
use crate::resources::decoded_resource::new_row;
use crate::resources::resource_kinds::{ZONE, fields};

/// The action `zones.create`.
pub(crate) struct CreateZone;

#[async_trait]
impl ResourceAction for CreateZone {
    fn spec(&self) -> CommandSpec {
        action(ResourceCommandDeclaration {
            word: "CREATE_ZONE",
            name: "zones.create",
            properties: json!({
                "name": name_schema("Name of the new zone."),
                "description": {"type": "string", "maxLength": 2000, "description": "What it is for."},
                "require_validation": validation_schema("zone"),
            }),
            required: &["name"],
            example: json!({"name": "Health", "description": "Weight, sleep and mood"}),
        })
    }

    async fn decide(&self, ask: &ResourceCallContext<'_>) -> Result<ResourceActionPlan, ActionPlanError> {
        let name = ask.required("name")?.trim().to_owned();
        ask.name_is_free(&all_of_kind(ZONE), &name, "").await?;
        let body = object([
            ("description", ask.text("description").map(JsonValue::from)),
            ("require_validation", Some(JsonValue::from(ask.flag("require_validation")))),
        ]);
        let zone = new_row(ZONE, ask.new_id("zon"), None, name, None, body, ask.now());
        let says = say!(ask.texts, "resources-create-zone", name = zone.name());
        let after = fields(ask, &zone);
        Ok(ResourceActionPlan {
            content: JsonValue::from([
                ("id", JsonValue::from(zone.id())),
                ("name", JsonValue::from(zone.name())),
            ]),
            description: ActionDescription { says, after, ..ActionDescription::default() },
            changes: vec![ResourceChange::Create(zone.row)],
        })
    }

    async fn target(&self, _ask: &ResourceCallContext<'_>) -> Result<ActionTarget, StoreError> {
        Ok(ActionTarget::default())
    }
}
