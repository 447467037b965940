//! DELETE_SHARED_TEXT: deletes a shared text with all its versions and proposals.

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, ActionPlanError, ActionTarget, CommandSpec, StoreError,
};
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::key_schema;
use super::publish::delete;
use super::shared_text_rows::{TEXT, VERSION, base, current, proposals, text, words};
use crate::json::number;
use crate::resources::call_context::ResourceCallContext;
use crate::resources::command::{ResourceAction, ResourceActionPlan, ResourceCommandDeclaration, deletion};
use crate::resources::decoded_resource::DecodedResource;
use crate::resources::overwritten_values::{self, NamedValues};

/// The action `shared_texts.delete`.
pub(crate) struct DeleteSharedText;

#[async_trait]
impl ResourceAction for DeleteSharedText {
    fn spec(&self) -> CommandSpec {
        deletion(ResourceCommandDeclaration {
            word: "DELETE_SHARED_TEXT",
            name: "shared_texts.delete",
            properties: json!({"key": key_schema()}),
            required: &["key"],
            example: json!({"key": "general"}),
        })
    }

    async fn decide(&self, ask: &ResourceCallContext<'_>) -> Result<ResourceActionPlan, ActionPlanError> {
        let text = text(ask).await?;
        let versions = ask.count(VERSION, text.id()).await?;
        let waiting = proposals(ask, text.id()).await?;
        let mut before = vec![("text".to_owned(), current(ask, &text).await?)];
        let named = |proposal: &DecodedResource| {
            let said = say!(ask.texts, "shared-proposal", base = base(proposal), text = words(proposal));
            (proposal.id().to_owned(), said)
        };
        before.extend(waiting.iter().map(named));
        let (key, proposals) = (text.id(), waiting.len());
        let says = say!(ask.texts, "shared-delete", key = key, versions = versions, proposals = proposals);
        Ok(ResourceActionPlan {
            changes: vec![delete(TEXT, &text)],
            content: JsonValue::from([
                ("deleted", JsonValue::from(text.id())),
                ("versions", number(versions)),
            ]),
            description: ActionDescription { says, before, ..ActionDescription::default() },
        })
    }

    /// The text's row suffices: it lists the versions, which never change.
    async fn overwrites(&self, ask: &ResourceCallContext<'_>) -> Result<NamedValues, StoreError> {
        let mut values = overwritten_values::deleted(ask, TEXT, "key").await?;
        if let Some(key) = ask.text("key") {
            values.extend(proposals(ask, key).await?.iter().map(overwritten_values::full_row));
        }
        Ok(values)
    }

    async fn target(&self, _ask: &ResourceCallContext<'_>) -> Result<ActionTarget, StoreError> {
        Ok(ActionTarget::default())
    }
}
