//! SHARED_TEXTS: lists the shared texts.

use std::collections::BTreeMap;

use async_trait::async_trait;
use entracte_application::ports::{ActionPlanError, CommandSpec};
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::shared_text_rows::{PROPOSAL, TEXT, text_value};
use crate::resources::call_context::{ResourceCallContext, all_of_kind};
use crate::resources::command::{ResourceCommandDeclaration, ResourceQuery, query};
use crate::resources::pages::{self, ROWS};

/// The query `shared_texts.list`.
pub(crate) struct ListSharedTexts;

#[async_trait]
impl ResourceQuery for ListSharedTexts {
    fn spec(&self) -> CommandSpec {
        query(ResourceCommandDeclaration {
            word: "SHARED_TEXTS",
            name: "shared_texts.list",
            properties: pages::arguments(ROWS, json!({})),
            required: &[],
            example: json!({}),
        })
    }

    async fn answer(&self, ask: &ResourceCallContext<'_>) -> Result<JsonValue, ActionPlanError> {
        let page = pages::first_page(ask, all_of_kind(TEXT), ROWS).await?;
        let mut waiting: BTreeMap<String, u64> = BTreeMap::new();
        for proposal in ask.list(&all_of_kind(PROPOSAL)).await? {
            *waiting.entry(proposal.parent().to_owned()).or_default() += 1;
        }
        Ok(page.value("texts", |text| {
            text_value(ask, text, waiting.get(text.id()).copied().unwrap_or_default())
        }))
    }
}
