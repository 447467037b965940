//! Shapes of approval cards, the decisions on them, and other inbox items.

mod decision;
mod inbox_item;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use entracte_application::commands::Catalog;
use entracte_application::json_value::ExactJson;
use entracte_application::ports::ActionDescription;
use entracte_application::terminal_text::is_invisible;
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::{ApprovalView, InboxItem, InboxKind, LocalizedReason};
use entracte_domain::question::Question;
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{ValidationLevel, is_four_eyes, needs_person};
use entracte_domain::value::JsonValue;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::agent::{ChainShape, chain};
use super::call::{ApproversShape, GivenApprovalShape, PolicyAnswerShape};
use super::rule::{ConditionShape, conditions};
use super::rule_width::OfferedWidthShape;
use super::triage::ItemTriageShape;
use super::{iso, wire_words};
use crate::etag::EntityTag;

pub use decision::{AllDecidedShape, CardDecisionShape, DecidedShape, DecisionShape, DecisionsShape};
pub use inbox_item::{InboxShape, PlaceShape, folded_approvals};

/// Why an approval is asked for.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReasonShape {
    /// The level that asks: `workspace`, `zone`, `tool`, `session`, `ai_request`, `catalog`, `policy`, `four_eyes`,
    /// `approvers`.
    pub level: Cow<'static, str>,
    /// In the language of the reader.
    pub text: String,
}

/// What one level of the validation says of a call.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LevelShape {
    /// `workspace`, `zone`, `tool`, `session`, `ai_request`, `catalog`, `policy`, `four_eyes`,
    /// `approvers`.
    pub level: Cow<'static, str>,
    /// It asks that a person decides.
    pub asks: bool,
}

/// A field that an action changes.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct FieldChangeShape {
    /// Its name.
    pub name: String,
    /// How it was; null where it is new.
    pub before: Option<String>,
    /// How it will be; null where it goes.
    pub after: Option<String>,
}

impl FieldChangeShape {
    /// The fields of a description: what there will be, and then what goes.
    fn all(describes: &ActionDescription) -> Vec<Self> {
        let ActionDescription { before, after, .. } = describes;
        let find = |of: &[(String, String)], name: &str| {
            of.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        };
        let gone = before.iter().filter(|(name, _)| find(after, name).is_none());
        let names = after.iter().chain(gone).map(|(name, _)| name);
        names
            .map(|name| Self { name: name.clone(), before: find(before, name), after: find(after, name) })
            .collect()
    }
}

/// An approval that is asked for, with all that it is decided by.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CardShape {
    /// `apr_…`.
    pub id: String,
    /// What a decision is bound to. The ETag of the card.
    pub digest: Option<String>,
    /// The declaration or the configuration changed since it was asked: it is asked again before it could start.
    pub changed: bool,
    /// The session.
    pub session: String,
    /// Its name.
    pub session_name: String,
    /// The call.
    pub call: String,
    /// What may be done when its outcome is not known.
    pub effect: Cow<'static, str>,
    /// It destroys something.
    pub destructive: bool,
    /// Something leaves the workspace.
    pub egress: bool,
    /// It cannot be taken back, nor repeated.
    pub irreversible: bool,
    /// What it does, in a sentence of the server.
    pub says: String,
    /// The command.
    pub command: String,
    /// Method and address, or program and arguments; null for what stays in the workspace.
    pub target: Value,
    /// What it will run with.
    #[schema(value_type = Value)]
    pub arguments: ExactJson,
    /// The same as text, whose numbers keep their digits.
    pub arguments_text: String,
    /// How each field was when the card was read.
    pub before: BTreeMap<String, String>,
    /// How it will be.
    pub after: BTreeMap<String, String>,
    /// Each field that it changes, in the order of the command.
    #[serde(default)]
    pub fields: Vec<FieldChangeShape>,
    /// When `before` was read.
    pub read_at: String,
    /// Characters that are not seen or turn text round, as `U+200B`.
    pub marks: Vec<String>,
    /// What to look at with care.
    pub warnings: Vec<String>,
    /// Why it is asked.
    pub reasons: Vec<ReasonShape>,
    /// Every level, asked or not.
    pub levels: Vec<LevelShape>,
    /// The calls of the same reply that come to their end before it starts; none: it runs at once.
    pub waits_for: Vec<String>,
    /// The calls of the same reply that wait for this one.
    pub then: Vec<String>,
    /// What “always” would allow; null: it is not offered.
    pub always: Option<BTreeMap<String, ConditionShape>>,
    /// Narrower standing approvals that can be given with a decision, the narrowest first.
    #[serde(default)]
    pub widths: Vec<OfferedWidthShape>,
    /// How many calls of this command people approved in a row without a change, where that suggests “always”
    /// (`rules.suggest_after`); null elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_before: Option<u32>,
    /// Who asked for it.
    pub requester: Option<String>,
    /// The people whose messages are in the exchange; empty where nobody knows.
    pub asked_by: Vec<String>,
    /// The person whose rights it has, and whose own credentials a tool may use; never whoever approves it.
    pub acts_as: Option<String>,
    /// What the policy hook answered about it; null if none was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyAnswerShape>,
    /// The approver requirements of the call, one for each reason that has one; empty if any one person may approve it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvers: Vec<ApproversShape>,
    /// The approvals that it has, where it needs more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<GivenApprovalShape>,
    /// Nobody of `asked_by` may approve it, and it cannot be approved with other arguments.
    pub four_eyes: bool,
    /// A person made it by hand: its session takes no messages, so no words may be sent in place of a decision.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_hand: bool,
    /// The automation it runs for.
    pub automation: Option<String>,
    /// From the session that a person began to the agent that asks, itself last; empty where no agent asks.
    pub chain: Vec<ChainShape>,
    /// When it was asked.
    pub asked_at: String,
    /// When it expires.
    pub expires_at: String,
    /// What people noted about it, in the list of the inbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triage: Option<ItemTriageShape>,
}

/// The data that cards are built with.
#[derive(Clone, Copy)]
pub struct CardContext<'a> {
    /// The command catalog.
    pub catalog: &'a Catalog,
    /// The time of reading.
    pub now: Timestamp,
    /// All pending items, so that a card can list the calls that wait for its own.
    pub items: &'a [InboxItem],
    /// After how many unchanged approvals in a row a card suggests a rule; 0 = never.
    pub suggest_after: u32,
}

impl CardContext<'_> {
    /// The unchanged approvals of the same command, if they suggest a rule that can cover the call.
    fn suggesting_approvals(&self, approval: &ApprovalView) -> Option<u32> {
        let ApprovalView { approved_before: count, always, call, .. } = approval;
        let is_coverable = always.is_some() && !is_four_eyes(&call.reasons) && !needs_person(&call.reasons);
        (is_coverable && self.suggest_after > 0 && *count >= self.suggest_after).then_some(*count)
    }

    /// The calls that start when this one has ended.
    fn after(&self, approval: &ApprovalView) -> Vec<String> {
        let waiting = self.items.iter().filter_map(|item| match &item.kind {
            InboxKind::Approval(other) => other.starts_after.contains(&approval.call.id).then_some(other),
            InboxKind::Question(_)
            | InboxKind::Unsettled(_)
            | InboxKind::Parked(_)
            | InboxKind::Ended { .. }
            | InboxKind::Failed { .. }
            | InboxKind::Task { .. }
            | InboxKind::Ungranted { .. } => None,
        });
        waiting.map(|other| other.call.id.to_string()).collect()
    }
}

fn levels(reasons: &[LocalizedReason]) -> Vec<LevelShape> {
    let asks = |level: ValidationLevel| reasons.iter().any(|reason| reason.level == level);
    ValidationLevel::ALL
        .into_iter()
        .map(|level| LevelShape { level: level.word().into(), asks: asks(level) })
        .collect()
}

impl CardShape {
    /// The card of an inbox item.
    pub fn new(item: &InboxItem, approval: &ApprovalView, look: &CardContext<'_>) -> Self {
        let spec = look.catalog.find(&approval.call.effective_command().name).map(|known| &known.spec);
        Self {
            session: item.session.to_string(),
            session_name: item.name.clone(),
            destructive: spec.is_some_and(|spec| spec.destructive),
            egress: spec.is_some_and(|spec| spec.egress),
            // An agent's message is not an address.
            target: spec.filter(|spec| spec.agent.is_none()).map_or(Value::Null, |spec| spec.target.clone()),
            read_at: iso(look.now),
            then: look.after(approval),
            approved_before: look.suggesting_approvals(approval),
            requester: item.requester.clone(),
            by_hand: item.is_by_hand,
            automation: item.automation.clone(),
            asked_at: iso(item.asked_at),
            ..Self::from(approval)
        }
    }

    /// Whether several people must approve it.
    pub fn needs_several(&self) -> bool {
        self.approvers.len() > 1 || self.approvers.iter().any(|required| required.quorum > 1)
    }

    /// The tag that a decision is bound to.
    pub fn tag(&self) -> Option<EntityTag> {
        self.digest.clone().map(EntityTag::new)
    }
}

/// What a card shows of the call itself, without what only an inbox and a catalog know.
impl From<&ApprovalView> for CardShape {
    fn from(approval: &ApprovalView) -> Self {
        let (command, describes) = (approval.call.effective_command(), &approval.description);
        let effect = wire_words::effect(approval.call.effect_class());
        let texts = LocalizedTexts::for_language(approval.language);
        let reasons = approval.reasons.iter();
        Self {
            id: approval.id.to_string(),
            digest: approval.digest.as_ref().map(ToString::to_string),
            changed: approval.is_changed,
            session: String::new(),
            session_name: String::new(),
            call: approval.call.id.to_string(),
            effect: effect.into(),
            destructive: false,
            egress: false,
            irreversible: effect == "once",
            says: describes.says.clone(),
            command: command.name.clone(),
            target: Value::Null,
            marks: marks(&[&describes.says, &text_of(&command.arguments)]),
            arguments: ExactJson::sorted(&command.arguments),
            arguments_text: command.arguments.to_json(),
            before: describes.before.iter().cloned().collect(),
            after: describes.after.iter().cloned().collect(),
            fields: FieldChangeShape::all(describes),
            read_at: String::new(),
            warnings: describes.warnings.clone(),
            reasons: reasons
                .map(|reason| ReasonShape { level: reason.level.word().into(), text: reason.text.clone() })
                .collect(),
            levels: levels(&approval.reasons),
            waits_for: approval.starts_after.iter().map(ToString::to_string).collect(),
            then: Vec::new(),
            always: approval.always.as_deref().map(conditions),
            widths: approval
                .widths
                .iter()
                .map(|width| OfferedWidthShape::new(&command.name, width, !approval.chain.is_empty(), texts))
                .collect(),
            approved_before: None,
            requester: None,
            asked_by: approval.call.asked_by.people.clone(),
            acts_as: approval.call.principal().map(str::to_owned),
            policy: PolicyAnswerShape::of_call(&approval.call),
            approvers: ApproversShape::of_call(&approval.call),
            approvals: GivenApprovalShape::of_call(&approval.call),
            four_eyes: is_four_eyes(&approval.call.reasons),
            by_hand: false,
            automation: None,
            chain: chain(&approval.chain),
            asked_at: String::new(),
            expires_at: iso(approval.expires_at),
            triage: None,
        }
    }
}

/// All texts in a JSON value, names and values.
fn text_of(json: &JsonValue) -> String {
    match json {
        JsonValue::Text(text) => text.clone(),
        JsonValue::List(items) => items.iter().map(text_of).collect(),
        JsonValue::Object(members) => {
            members.iter().map(|(name, value)| format!("{name}{}", text_of(value))).collect()
        }
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) => String::new(),
    }
}

fn marks(texts: &[&str]) -> Vec<String> {
    let hidden = texts.iter().flat_map(|text| text.chars()).filter(|letter| is_invisible(*letter));
    let codes: BTreeSet<String> = hidden.map(|letter| format!("U+{:04X}", u32::from(letter))).collect();
    codes.into_iter().collect()
}

/// A question.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct QuestionShape {
    /// `multiple_choice`, `validation` or `open`: any answer in words.
    #[serde(rename = "type")]
    pub shape: Cow<'static, str>,
    /// What is asked.
    pub text: String,
    /// What may be answered.
    pub options: Vec<String>,
    /// Another answer may be given too.
    pub allow_other: bool,
}

impl From<&Question> for QuestionShape {
    fn from(question: &Question) -> Self {
        let text = question.text().to_owned();
        match question {
            Question::MultipleChoice { options, allow_other, .. } => Self {
                shape: "multiple_choice".into(),
                text,
                options: options.clone(),
                allow_other: *allow_other,
            },
            Question::Open { .. } => {
                Self { shape: "open".into(), text, options: Vec::new(), allow_other: true }
            }
            Question::Validation { .. } => {
                Self { shape: "validation".into(), text, options: Vec::new(), allow_other: false }
            }
        }
    }
}
