//! PROPOSE_SHARED_TEXT: proposes a change of a shared text, without effect until it is published.

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, ActionPlanError, ActionTarget, CommandSpec, ResourceChange, StoreError,
};
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::difference::{places, unified};
use super::shared_text_rows::{self, PROPOSAL, TEXT, current, new_proposal, new_text, published};
use super::{SharedTextLimits, key_schema, version_schema};
use crate::json::number;
use crate::resources::call_context::ResourceCallContext;
use crate::resources::command::{ResourceAction, ResourceActionPlan, ResourceCommandDeclaration, action};
use crate::resources::decoded_resource::DescriptionField;
use crate::resources::refusal::{refused, refused_at};
use crate::resources::value_text::short;

/// The most replacements of one proposal.
const EDITS_MAX: u32 = 50;
/// The most characters of a note.
const NOTE_MAX: u32 = 500;

/// The action `shared_texts.propose`.
pub(crate) struct ProposeSharedText {
    pub(crate) limits: SharedTextLimits,
}

#[async_trait]
impl ResourceAction for ProposeSharedText {
    fn spec(&self) -> CommandSpec {
        let most = self.limits.chars;
        action(ResourceCommandDeclaration {
            word: "PROPOSE_SHARED_TEXT",
            name: "shared_texts.propose",
            properties: json!({
                "key": key_schema(),
                "version": {"type": "integer", "minimum": 0, "maximum": u32::MAX,
                    "description": "The version that you read and change; 0 for a text that is not there yet."},
                "text": {"type": "string", "maxLength": most, "description": "The whole new text."},
                "edits": {"type": "array", "minItems": 1, "maxItems": EDITS_MAX,
                    "description": "Replacements, one after the other, instead of the whole text.",
                    "items": {"type": "object", "additionalProperties": false, "required": ["find", "replace"],
                        "properties": {
                            "find": {"type": "string", "minLength": 1, "maxLength": most,
                                "description": "What stands there; it must occur exactly once."},
                            "replace": {"type": "string", "maxLength": most, "description": "What is to stand there."},
                        }}},
                "restore": version_schema("Brings the text of this older version back, instead of a new text."),
                "note": {"type": "string", "maxLength": NOTE_MAX, "description": "Why, for whoever decides."},
            }),
            required: &["key", "version"],
            example: json!({"key": "department", "version": 0, "text": "The office closes at 18:00.\n"}),
        })
    }

    async fn decide(&self, ask: &ResourceCallContext<'_>) -> Result<ResourceActionPlan, ActionPlanError> {
        let key = ask.required("key")?;
        let found = ask.find(TEXT, key).await?;
        let is_new = found.is_none();
        let text = found.unwrap_or_else(|| new_text(key, ask.now()));
        let (now, read) = (published(&text), u64::from(ask.number("version", 0, u32::MAX)));
        if now != read {
            let says = say!(ask.texts, "shared-stale-read", key = key, read = read, now = now);
            return Err(refused_at("STALE_VERSION", "/version", says));
        }
        if ask.count(PROPOSAL, key).await? >= u64::from(self.limits.proposals) {
            let says = say!(ask.texts, "shared-too-many", key = key, most = self.limits.proposals);
            return Err(refused("TOO_MANY_PROPOSALS", says));
        }
        let before = current(ask, &text).await?;
        let after = self.wanted(ask, key, &before).await?;
        if after == before {
            return Err(refused("NOTHING_TO_CHANGE", say!(ask.texts, "shared-nothing", key = key)));
        }
        let proposal = new_proposal(ask, &text, &after);
        let (old, new) = fields(ask, &before, &after);
        let content = JsonValue::from([
            ("proposal_id", JsonValue::from(proposal.id())),
            ("key", JsonValue::from(key)),
            ("base", number(now)),
            ("diff", JsonValue::from(unified(&before, &after))),
        ]);
        let says = say!(ask.texts, "shared-propose", key = key, version = now);
        let mut changes = Vec::new();
        if is_new {
            changes.push(ResourceChange::Create(text.row));
        }
        changes.push(ResourceChange::Create(proposal.row));
        let description = ActionDescription { says, before: old, after: new, ..ActionDescription::default() };
        Ok(ResourceActionPlan { changes, content, description })
    }

    async fn target(&self, _ask: &ResourceCallContext<'_>) -> Result<ActionTarget, StoreError> {
        Ok(ActionTarget::default())
    }
}

impl ProposeSharedText {
    /// The proposed text: given as a whole, by replacements, or as an older version.
    async fn wanted(
        &self,
        ask: &ResourceCallContext<'_>,
        key: &str,
        before: &str,
    ) -> Result<String, ActionPlanError> {
        let ways = ["text", "edits", "restore"].map(|name| ask.argument(name));
        let after = match ways {
            [Some(whole), None, None] => whole.as_text().unwrap_or_default().to_owned(),
            [None, Some(edits), None] => edited(ask, before, edits)?,
            [None, None, Some(_)] => {
                let number = u64::from(ask.number("restore", 0, u32::MAX));
                let version = shared_text_rows::version(ask, key, number).await?.ok_or_else(|| {
                    let says = say!(ask.texts, "shared-no-version", key = key, version = number);
                    refused_at("NOT_FOUND", "/restore", says)
                })?;
                shared_text_rows::words(&version).to_owned()
            }
            _ => return Err(refused("INVALID_ARGUMENTS", say!(ask.texts, "shared-one-way"))),
        };
        let (length, most) = (after.chars().count(), self.limits.chars);
        if length > usize::try_from(most).unwrap_or(usize::MAX) {
            let says = say!(ask.texts, "shared-too-long", key = key, length = length, most = most);
            return Err(refused("TOO_LONG", says));
        }
        Ok(after)
    }
}

/// The text after all replacements.
fn edited(ask: &ResourceCallContext<'_>, before: &str, edits: &JsonValue) -> Result<String, ActionPlanError> {
    let edits = edits.as_list().unwrap_or_default();
    edits.iter().enumerate().try_fold(before.to_owned(), |text, (place, edit)| {
        let of = |name| edit.get(name).and_then(JsonValue::as_text).unwrap_or_default();
        let (find, replace) = (of("find"), of("replace"));
        match text.matches(find).count() {
            1 => Ok(text.replacen(find, replace, 1)),
            times => {
                let says = say!(ask.texts, "shared-not-once", find = short(find), times = times);
                Err(refused_at("NOT_ONCE", &format!("/edits/{place}/find"), says))
            }
        }
    })
}

/// The differences as fields: old and new lines at a line number.
pub(super) fn fields(
    ask: &ResourceCallContext<'_>,
    before: &str,
    after: &str,
) -> (Vec<DescriptionField>, Vec<DescriptionField>) {
    let named = |line: usize| say!(ask.texts, "shared-line", line = line);
    places(before, after)
        .into_iter()
        .map(|place| ((named(place.line), place.old), (named(place.line), place.new)))
        .unzip()
}
