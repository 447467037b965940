//! DELETE_SHARED_TEXT: a shared text with all its versions and proposals.

use async_trait::async_trait;
use entracte_application::ports::{CommandSpec, Description, PlanError, StoreError, Target};
use entracte_application::texts::say;
use entracte_domain::value::Value;
use serde_json::json;

use super::key_schema;
use super::publish::delete;
use super::shelf::{TEXT, VERSION, current, text};
use crate::json::number;
use crate::resources::ask::Ask;
use crate::resources::command::{Action, Decided, Declared, deletion};
use crate::resources::overwrites::{self, Values};

/// The action `shared_texts.delete`.
pub(crate) struct DeleteSharedText;

#[async_trait]
impl Action for DeleteSharedText {
    fn spec(&self) -> CommandSpec {
        deletion(Declared {
            word: "DELETE_SHARED_TEXT",
            name: "shared_texts.delete",
            properties: json!({"key": key_schema()}),
            required: &["key"],
            example: json!({"key": "general"}),
        })
    }

    async fn decide(&self, ask: &Ask<'_>) -> Result<Decided, PlanError> {
        let text = text(ask).await?;
        let versions = ask.count(VERSION, text.id()).await?;
        let before = vec![("text".to_owned(), current(ask, &text).await?)];
        let says = say!(ask.texts, "shared-delete", key = text.id(), versions = versions);
        Ok(Decided {
            changes: vec![delete(TEXT, &text)],
            content: Value::from([("deleted", Value::from(text.id())), ("versions", number(versions))]),
            description: Description { says, before, ..Description::default() },
        })
    }

    async fn overwrites(&self, ask: &Ask<'_>) -> Result<Values, StoreError> {
        overwrites::deleted(ask, TEXT, "key").await
    }

    async fn target(&self, _ask: &Ask<'_>) -> Result<Target, StoreError> {
        Ok(Target::default())
    }
}
