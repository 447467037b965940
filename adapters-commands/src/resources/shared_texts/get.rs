//! SHARED_TEXT: the current version of a shared text, an older version, or the changes of a proposal.

use async_trait::async_trait;
use entracte_application::ports::{ActionPlanError, CommandSpec};
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::difference::unified;
use super::shared_text_rows::{
    self, current, proposal_value, proposals, text_value, version_value, versions, words,
};
use super::{key_schema, proposal_schema, version_schema};
use crate::json::with;
use crate::resources::call_context::ResourceCallContext;
use crate::resources::command::{ResourceCommandDeclaration, ResourceQuery, query};
use crate::resources::decoded_resource::DecodedResource;
use crate::resources::refusal::refused_at;

/// The most versions listed beside a text, latest first.
const LISTED: u32 = 20;

/// The query `shared_texts.get`.
pub(crate) struct GetSharedText;

#[async_trait]
impl ResourceQuery for GetSharedText {
    fn spec(&self) -> CommandSpec {
        query(ResourceCommandDeclaration {
            word: "SHARED_TEXT",
            name: "shared_texts.get",
            properties: json!({
                "key": key_schema(),
                "version": version_schema("An older version instead of the one that counts."),
                "proposal_id": proposal_schema(),
            }),
            required: &["key"],
            example: json!({"key": "general"}),
        })
    }

    async fn answer(&self, ask: &ResourceCallContext<'_>) -> Result<JsonValue, ActionPlanError> {
        let text = shared_text_rows::text(ask).await?;
        if ask.text("proposal_id").is_some() {
            return proposed(ask, &text).await;
        }
        if ask.argument("version").is_some() {
            return older(ask, &text).await;
        }
        let waiting = proposals(ask, text.id()).await?;
        let count = u64::try_from(waiting.len()).unwrap_or(u64::MAX);
        let value = with(&text_value(ask, &text, count), "text", Some(current(ask, &text).await?.into()));
        let waiting = waiting.iter().map(|row| proposal_value(ask, row, &text)).collect();
        let kept = versions(ask, text.id(), LISTED).await?;
        let kept = kept.iter().map(|row| version_value(ask, row)).collect();
        Ok(with(
            &with(&value, "proposals", Some(JsonValue::List(waiting))),
            "versions",
            Some(JsonValue::List(kept)),
        ))
    }
}

async fn older(ask: &ResourceCallContext<'_>, text: &DecodedResource) -> Result<JsonValue, ActionPlanError> {
    let number = u64::from(ask.number("version", 0, u32::MAX));
    let version = shared_text_rows::version(ask, text.id(), number).await?.ok_or_else(|| {
        let says = say!(ask.texts, "shared-no-version", key = text.id(), version = number);
        refused_at("NOT_FOUND", "/version", says)
    })?;
    let value = with(&version_value(ask, &version), "key", Some(text.id().into()));
    Ok(with(&value, "text", Some(words(&version).into())))
}

async fn proposed(
    ask: &ResourceCallContext<'_>,
    text: &DecodedResource,
) -> Result<JsonValue, ActionPlanError> {
    let (proposal, of) = shared_text_rows::proposal(ask).await?;
    if of.id() != text.id() {
        let says = say!(ask.texts, "shared-no-proposal", id = proposal.id());
        return Err(refused_at("NOT_FOUND", "/proposal_id", says));
    }
    let value = with(&proposal_value(ask, &proposal, text), "key", Some(text.id().into()));
    let diff = unified(&current(ask, text).await?, words(&proposal));
    Ok(with(&with(&value, "diff", Some(diff.into())), "text", Some(words(&proposal).into())))
}
