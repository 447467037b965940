//! UPDATE_ZONE: changes the name, description or flag of a zone.

use async_trait::async_trait;
use entracte_application::ports::{ActionPlanError, ActionTarget, CommandSpec, StoreError};
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::{name_schema, the_zone, validation_schema};
use crate::json::with;
use crate::resources::call_context::{ResourceCallContext, all_of_kind};
use crate::resources::changes::validation_warning;
use crate::resources::command::{
    ResourceAction, ResourceActionPlan, ResourceCommandDeclaration, action, id_schema,
};
use crate::resources::contained_values;
use crate::resources::decoded_resource::DecodedResource;
use crate::resources::overwritten_values::NamedValues;
use crate::resources::refusal::nothing_to_change;
use crate::resources::resource_kinds::ZONE;
use crate::resources::{targets, updates};

/// The action `zones.update`.
pub(crate) struct UpdateZone;

const FIELDS: [&str; 3] = ["name", "description", "require_validation"];

#[async_trait]
impl ResourceAction for UpdateZone {
    fn spec(&self) -> CommandSpec {
        action(ResourceCommandDeclaration {
            word: "UPDATE_ZONE",
            name: "zones.update",
            properties: json!({
                "zone_id": id_schema("Id of the zone."),
                "name": name_schema("New name."),
                "description": {"type": ["string", "null"], "maxLength": 2000, "description": "New description."},
                "require_validation": validation_schema("zone"),
            }),
            required: &["zone_id"],
            example: json!({"zone_id": "zon_x_1_0", "description": null, "require_validation": true}),
        })
    }

    async fn decide(&self, ask: &ResourceCallContext<'_>) -> Result<ResourceActionPlan, ActionPlanError> {
        let before = ask.zone("zone_id").await?;
        if !FIELDS.iter().any(|field| ask.mentions(field)) {
            return Err(nothing_to_change(ask.texts, &FIELDS));
        }
        let after = changed(ask, &before);
        ask.name_is_free(&all_of_kind(ZONE), after.name(), before.id()).await?;
        let warnings = validation_warning(ask.texts, ZONE, &before, &after).into_iter().collect();
        Ok(updates::plan_update(ask, &the_zone(ask, &before), &before, after, warnings))
    }

    async fn overwrites(&self, ask: &ResourceCallContext<'_>) -> Result<NamedValues, StoreError> {
        contained_values::updated(ask, ZONE, "zone_id").await
    }

    async fn target(&self, ask: &ResourceCallContext<'_>) -> Result<ActionTarget, StoreError> {
        targets::zone(ask, "zone_id").await
    }
}

fn changed(ask: &ResourceCallContext<'_>, before: &DecodedResource) -> DecodedResource {
    let name = ask.text("name").map_or_else(|| before.name().to_owned(), |name| name.trim().to_owned());
    let mut body = before.body.clone();
    if ask.mentions("description") {
        body = with(&body, "description", ask.text("description").map(JsonValue::from));
    }
    if let Some(flag) = ask.argument("require_validation") {
        body = with(&body, "require_validation", Some(flag.clone()));
    }
    before.changed(name, before.row.at, body, ask.now())
}
