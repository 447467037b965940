//! PUBLISH_SHARED_TEXT: makes a proposal the current version. Always needs a person's approval.

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, ActionPlanError, ActionTarget, CommandSpec, ResourceChange, StoreError,
};
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::propose::fields;
use super::shared_text_rows::{
    PROPOSAL, TEXT, VERSION, base, current, new_version, proposal, published, versions, words,
};
use super::{SharedTextLimits, proposal_schema};
use crate::call_outcome::digest;
use crate::json::{number, with};
use crate::resources::call_context::ResourceCallContext;
use crate::resources::command::{ResourceAction, ResourceActionPlan, ResourceCommandDeclaration, action};
use crate::resources::decoded_resource::DecodedResource;
use crate::resources::overwritten_values::NamedValues;
use crate::resources::refusal::refused_at;

/// The action `shared_texts.publish`.
pub(crate) struct PublishSharedText {
    pub(crate) limits: SharedTextLimits,
}

#[async_trait]
impl ResourceAction for PublishSharedText {
    fn spec(&self) -> CommandSpec {
        let declared = action(ResourceCommandDeclaration {
            word: "PUBLISH_SHARED_TEXT",
            name: "shared_texts.publish",
            properties: json!({"proposal_id": proposal_schema()}),
            required: &["proposal_id"],
            example: json!({"proposal_id": "prp_x_1_0"}),
        });
        CommandSpec { asks: true, ..declared }
    }

    async fn decide(&self, ask: &ResourceCallContext<'_>) -> Result<ResourceActionPlan, ActionPlanError> {
        let (proposal, text) = proposal(ask).await?;
        let (now, read) = (published(&text), base(&proposal));
        if now != read {
            let says = say!(ask.texts, "shared-stale-proposal", key = text.id(), read = read, now = now);
            return Err(refused_at("STALE_PROPOSAL", "/proposal_id", says));
        }
        let before = current(ask, &text).await?;
        let (old, new) = fields(ask, &before, words(&proposal));
        let version = new_version(ask, &proposal, &text);
        let next = now + 1;
        let body = with(&text.body, "version", Some(number(next)));
        let body = with(&body, "last_refresh", Some(JsonValue::Number(ask.now().0.to_string())));
        let after = text.changed(text.name().to_owned(), None, body, ask.now());
        let content = JsonValue::from([
            ("key", JsonValue::from(text.id())),
            ("version", number(next)),
            ("last_refresh", JsonValue::from(ask.calendar.format_instant(ask.now()))),
        ]);
        let says = say!(ask.texts, "shared-publish", key = text.id(), version = next);
        let warnings = proposal.text("note").map(|note| say!(ask.texts, "shared-because", note = note));
        let mut changes = vec![
            ResourceChange::Update { row: after.row, expected: text.row.version },
            ResourceChange::Create(version.row),
            delete(PROPOSAL, &proposal),
        ];
        changes.extend(self.forgotten(ask, text.id()).await?);
        let description =
            ActionDescription { says, before: old, after: new, warnings: warnings.into_iter().collect() };
        Ok(ResourceActionPlan { changes, content, description })
    }

    /// The current version and the proposed text: an approval is bound to both.
    async fn overwrites(&self, ask: &ResourceCallContext<'_>) -> Result<NamedValues, StoreError> {
        let id = ask.text("proposal_id").unwrap_or_default();
        let Some(proposal) = ask.find(PROPOSAL, id).await? else {
            return Ok(vec![(id.to_owned(), JsonValue::Null)]);
        };
        let hash = |text: &str| JsonValue::from(digest(text).as_str());
        let mut values = vec![(id.to_owned(), hash(words(&proposal)))];
        if let Some(text) = ask.find(TEXT, proposal.parent()).await? {
            let held = [("version", number(published(&text))), ("text", hash(&current(ask, &text).await?))];
            values.push((text.id().to_owned(), JsonValue::from(held)));
        }
        Ok(values)
    }

    async fn target(&self, _ask: &ResourceCallContext<'_>) -> Result<ActionTarget, StoreError> {
        Ok(ActionTarget::default())
    }
}

impl PublishSharedText {
    /// The oldest versions beyond the limit, counting the new one.
    async fn forgotten(
        &self,
        ask: &ResourceCallContext<'_>,
        key: &str,
    ) -> Result<Vec<ResourceChange>, StoreError> {
        let kept = versions(ask, key, u32::MAX).await?;
        let most = usize::try_from(self.limits.versions.max(1)).unwrap_or(usize::MAX);
        Ok(kept.iter().skip(most - 1).map(|version| delete(VERSION, version)).collect())
    }
}

/// Deletes a row in the version that was read.
pub(super) fn delete(kind: &str, row: &DecodedResource) -> ResourceChange {
    ResourceChange::Delete { kind: kind.to_owned(), id: row.id().to_owned(), expected: row.row.version }
}
