//! DISCARD_SHARED_TEXT: discards a proposal.

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, ActionPlanError, ActionTarget, CommandSpec, StoreError,
};
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::proposal_schema;
use super::publish::delete;
use super::shared_text_rows::{PROPOSAL, TEXT, proposal, published};
use crate::resources::call_context::ResourceCallContext;
use crate::resources::command::{ResourceAction, ResourceActionPlan, ResourceCommandDeclaration, action};
use crate::resources::overwritten_values::{self, NamedValues};

/// The action `shared_texts.discard`.
pub(crate) struct DiscardSharedText;

#[async_trait]
impl ResourceAction for DiscardSharedText {
    fn spec(&self) -> CommandSpec {
        action(ResourceCommandDeclaration {
            word: "DISCARD_SHARED_TEXT",
            name: "shared_texts.discard",
            properties: json!({"proposal_id": proposal_schema()}),
            required: &["proposal_id"],
            example: json!({"proposal_id": "prp_x_1_0"}),
        })
    }

    async fn decide(&self, ask: &ResourceCallContext<'_>) -> Result<ResourceActionPlan, ActionPlanError> {
        let (proposal, text) = proposal(ask).await?;
        let is_last = ask.count(PROPOSAL, text.id()).await? == 1;
        // An unpublished text exists only for its proposals.
        let change = match published(&text) == 0 && is_last {
            true => delete(TEXT, &text),
            false => delete(PROPOSAL, &proposal),
        };
        let says = say!(ask.texts, "shared-discard", key = text.id(), id = proposal.id());
        Ok(ResourceActionPlan {
            changes: vec![change],
            content: JsonValue::from([("discarded", JsonValue::from(proposal.id()))]),
            description: ActionDescription { says, ..ActionDescription::default() },
        })
    }

    async fn overwrites(&self, ask: &ResourceCallContext<'_>) -> Result<NamedValues, StoreError> {
        overwritten_values::deleted(ask, PROPOSAL, "proposal_id").await
    }

    async fn target(&self, _ask: &ResourceCallContext<'_>) -> Result<ActionTarget, StoreError> {
        Ok(ActionTarget::default())
    }
}
