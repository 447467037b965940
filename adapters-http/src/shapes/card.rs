//! Shapes of approval cards and other inbox items.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use entracte_application::codec::decode_call;
use entracte_application::commands::Catalog;
use entracte_application::json_value::ExactJson;
use entracte_application::ports::{ActionDescription, ExternalServerTools};
use entracte_application::terminal_text::is_invisible;
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::{ApprovalView, DisabledItem, InboxItem, InboxKind, LocalizedReason};
use entracte_domain::question::Question;
use entracte_domain::session::ParkReason;
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{ValidationLevel, is_four_eyes, needs_person};
use entracte_domain::value::JsonValue;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::agent::{ChainShape, chain};
use super::call::{ApproversShape, DecisionCommentShape, GivenApprovalShape, PolicyAnswerShape};
use super::cost::SpendingQuestionShape;
use super::rule::{ConditionShape, conditions};
use super::rule_width::{OfferedWidthShape, RuleWidthShape};
use super::tagged::{RawMembers, read_by_tag};
use super::task::TaskFormShape;
use super::tool_server::ToolCountsShape;
use super::triage::ItemTriageShape;
use super::{iso, wire_words};
use crate::etag::EntityTag;

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
    /// Who must approve it, for each reason that says so; empty where one person, whoever it is, suffices.
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

read_by_tag! {
    /// What waits for a person.
    #[derive(Clone, Debug, Serialize, ToSchema)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    pub enum InboxShape {
        /// An approval.
        Approval(Box<CardShape>),
        /// A question.
        Question {
            /// Where.
            #[serde(flatten)]
            place: PlaceShape,
            /// It.
            question: QuestionShape,
        },
        /// An action whose outcome nobody knows.
        Unsettled {
            /// Where.
            #[serde(flatten)]
            place: PlaceShape,
            /// The call.
            call: String,
            /// Its command.
            command: String,
            /// What it ran with; null when that cannot be read.
            #[schema(value_type = Option<Value>)]
            arguments: Option<ExactJson>,
        },
        /// A session that rests until somebody does something.
        Parked {
            /// Where.
            #[serde(flatten)]
            place: PlaceShape,
            /// `exhausted`, `interrupted`, `quarantined` or `spending`.
            why: Cow<'static, str>,
            /// What it lacks or asks, where `why` does not say all of it.
            #[serde(default)]
            says: String,
            /// What may be answered where `why` is `spending`; null elsewhere.
            spending: Option<SpendingQuestionShape>,
        },
        /// A run that came to nothing, until somebody has seen it.
        Ended {
            /// Where.
            #[serde(flatten)]
            place: PlaceShape,
            /// What is to be seen.
            why: Cow<'static, str>,
            /// How it ended.
            end_reason: Cow<'static, str>,
            /// The commands whose approvals expired.
            expired: Vec<String>,
        },
        /// A call that failed after a person approved it, until that person has seen it.
        Failed {
            /// Where.
            #[serde(flatten)]
            place: PlaceShape,
            /// The call.
            call: String,
            /// Its command.
            command: String,
            /// The person who approved the call.
            approver: String,
            /// The code of the failure.
            code: Option<String>,
        },
        /// A long task of which nobody else was told, until somebody has seen it.
        Task {
            /// Where.
            #[serde(flatten)]
            place: PlaceShape,
            /// What is to be seen: `contradicted` or `undelivered`; or `asks`, until it is answered.
            why: Cow<'static, str>,
            /// The task.
            task: String,
            /// Its command.
            command: String,
            /// How it ended: `completed`, `failed`, `cancelled` or `expired`.
            state: Cow<'static, str>,
            /// How many reported ends contradict the known one.
            #[serde(default)]
            contradicted: u32,
            /// What it asks.
            question: Option<String>,
            /// The same as a form; null where there is none.
            form: Option<Vec<TaskFormShape>>,
        },
        /// A target of notifications or an own secret that is off because it does not fit, until it does or is removed.
        Off {
            /// Where: its session is empty, and its name is that of the target or the secret.
            #[serde(flatten)]
            place: PlaceShape,
            /// `target` or `secret`.
            what: Cow<'static, str>,
            /// Why, and what to do.
            says: String,
        },
        /// An MCP server about whose tools nobody has decided: queries that ask, or actions that run unasked.
        Tools {
            /// Where: its session is empty, and its name is that of the server.
            #[serde(flatten)]
            place: PlaceShape,
            /// The server.
            server: String,
            /// How its tools are used now.
            counts: ToolCountsShape,
            /// The tools that no person has decided about yet.
            #[serde(default)]
            undecided: Vec<String>,
            /// The approvals of its undecided queries that wait in this workspace.
            waiting: Vec<String>,
        },
        /// An automation that says `allow` where nobody who may approve said so for the words that it has now: its actions wait.
        Ungranted {
            /// Where: the session is the one that holds its message.
            #[serde(flatten)]
            place: PlaceShape,
        },
    }

    // `ToSchema` for its attributes only.
    #[derive(Deserialize, ToSchema)]
    #[serde(remote = "InboxShape", rename_all = "snake_case")]
    mirror! { InboxShapeByKind by "kind", units [] }
}

/// Where something waits.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PlaceShape {
    /// Its id.
    pub id: String,
    /// The session.
    pub session: String,
    /// Its name.
    pub session_name: String,
    /// Who asked for it.
    pub requester: Option<String>,
    /// The automation it runs for.
    pub automation: Option<String>,
    /// From the session that a person began to the agent that waits, itself last; empty where no agent waits.
    pub chain: Vec<ChainShape>,
    /// Since when.
    pub asked_at: String,
    /// What people noted about it, in the list of the inbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triage: Option<ItemTriageShape>,
}

impl InboxShape {
    /// The shape of an item, in this language.
    pub fn new(item: &InboxItem, look: &CardContext<'_>, texts: &LocalizedTexts) -> Self {
        let place = || PlaceShape {
            id: item.id(),
            session: item.session.to_string(),
            session_name: item.name.clone(),
            requester: item.requester.clone(),
            automation: item.automation.clone(),
            chain: chain(&item.chain),
            asked_at: iso(item.asked_at),
            triage: None,
        };
        match &item.kind {
            InboxKind::Approval(approval) => Self::Approval(Box::new(CardShape::new(item, approval, look))),
            InboxKind::Question(question) => Self::Question { place: place(), question: question.into() },
            InboxKind::Unsettled(row) => Self::Unsettled {
                place: place(),
                call: row.id.to_string(),
                command: row.command.clone(),
                // A call with unreadable arguments can be settled too.
                arguments: decode_call(row)
                    .ok()
                    .map(|call| ExactJson::sorted(&call.effective_command().arguments)),
            },
            InboxKind::Parked(why) => {
                let (says, spending) = match why {
                    ParkReason::Exhausted(text) => (text.clone(), None),
                    ParkReason::Interrupted | ParkReason::Quarantined => (String::new(), None),
                    ParkReason::Spending(question) => {
                        (texts.render_speech(&question.text()), Some(question.into()))
                    }
                };
                Self::Parked { place: place(), why: wire_words::parked(why).into(), says, spending }
            }
            InboxKind::Ended { why, reason, expired } => Self::Ended {
                place: place(),
                why: why.word().into(),
                end_reason: reason.word().into(),
                expired: expired.clone(),
            },
            InboxKind::Failed { row, approver, code } => Self::Failed {
                place: place(),
                call: row.id.to_string(),
                command: row.command.clone(),
                approver: approver.clone(),
                code: code.clone(),
            },
            InboxKind::Task { task, why } => Self::Task {
                place: place(),
                why: why.word().into(),
                task: task.id.to_string(),
                command: task.command.clone(),
                state: task.state.word().into(),
                contradicted: task.contradicted,
                question: task.question.clone().filter(|_| task.is_asking()),
                form: TaskFormShape::of(task),
            },
            InboxKind::Ungranted { .. } => Self::Ungranted { place: place() },
        }
    }

    /// The shape of a disabled item, in this language.
    pub fn off(off: &DisabledItem, texts: &LocalizedTexts) -> Self {
        let place = PlaceShape {
            id: off.id.clone(),
            session: String::new(),
            session_name: off.name.clone(),
            requester: Some(off.person.clone()),
            automation: None,
            chain: Vec::new(),
            asked_at: iso(off.since),
            triage: None,
        };
        Self::Off { place, what: off.kind.word().into(), says: off.why.render(texts) }
    }

    /// The shape of a server whose tools nobody has decided; `waiting` are the ids of the approvals of its queries.
    pub fn tools(found: &ExternalServerTools, waiting: Vec<String>) -> Self {
        let place = PlaceShape {
            id: format!("tools:{}", found.server),
            session: String::new(),
            session_name: found.server.clone(),
            requester: None,
            automation: None,
            chain: Vec::new(),
            asked_at: iso(found.changed_at),
            triage: None,
        };
        let undecided = found.tools.iter().filter(|tool| tool.is_undecided);
        let undecided = undecided.map(|tool| tool.tool.clone()).collect();
        Self::Tools { place, server: found.server.clone(), counts: found.into(), undecided, waiting }
    }

    /// The id of the item.
    pub fn id(&self) -> &str {
        match self {
            Self::Approval(card) => &card.id,
            Self::Question { place, .. }
            | Self::Unsettled { place, .. }
            | Self::Parked { place, .. }
            | Self::Ended { place, .. }
            | Self::Failed { place, .. }
            | Self::Task { place, .. }
            | Self::Off { place, .. }
            | Self::Tools { place, .. }
            | Self::Ungranted { place } => &place.id,
        }
    }

    /// The item with what people noted about it.
    #[must_use]
    pub fn with_triage(mut self, triage: Option<ItemTriageShape>) -> Self {
        match &mut self {
            Self::Approval(card) => card.triage = triage,
            Self::Question { place, .. }
            | Self::Unsettled { place, .. }
            | Self::Parked { place, .. }
            | Self::Ended { place, .. }
            | Self::Failed { place, .. }
            | Self::Task { place, .. }
            | Self::Off { place, .. }
            | Self::Tools { place, .. }
            | Self::Ungranted { place } => place.triage = triage,
        }
        self
    }

    /// What people noted about the item.
    pub fn triage(&self) -> Option<&ItemTriageShape> {
        match self {
            Self::Approval(card) => card.triage.as_ref(),
            Self::Question { place, .. }
            | Self::Unsettled { place, .. }
            | Self::Parked { place, .. }
            | Self::Ended { place, .. }
            | Self::Failed { place, .. }
            | Self::Task { place, .. }
            | Self::Off { place, .. }
            | Self::Tools { place, .. }
            | Self::Ungranted { place } => place.triage.as_ref(),
        }
    }

    /// Whether who reads the list snoozes the item.
    pub fn is_snoozed(&self) -> bool {
        self.triage().is_some_and(|triage| triage.snoozed_until.is_some())
    }

    /// The time since which the item waits.
    pub fn asked_at(&self) -> &str {
        match self {
            Self::Approval(card) => &card.asked_at,
            Self::Question { place, .. }
            | Self::Unsettled { place, .. }
            | Self::Parked { place, .. }
            | Self::Ended { place, .. }
            | Self::Failed { place, .. }
            | Self::Task { place, .. }
            | Self::Off { place, .. }
            | Self::Tools { place, .. }
            | Self::Ungranted { place } => &place.asked_at,
        }
    }
}

/// The approvals that stand on the card of their server.
pub fn folded_approvals(items: &[InboxShape]) -> BTreeSet<String> {
    let servers = items.iter().filter_map(|item| match item {
        InboxShape::Tools { waiting, .. } => Some(waiting),
        InboxShape::Approval(_)
        | InboxShape::Question { .. }
        | InboxShape::Unsettled { .. }
        | InboxShape::Parked { .. }
        | InboxShape::Ended { .. }
        | InboxShape::Failed { .. }
        | InboxShape::Task { .. }
        | InboxShape::Off { .. }
        | InboxShape::Ungranted { .. } => None,
    });
    servers.flatten().cloned().collect()
}

read_by_tag! {
    /// A decision.
    #[derive(Clone, Debug, Serialize, ToSchema)]
    #[serde(tag = "decision", rename_all = "snake_case", deny_unknown_fields)]
    pub enum DecisionShape {
        /// Exactly what the card shows.
        Approve,
        /// With other arguments.
        Edit {
            /// All of them.
            #[schema(value_type = Value)]
            arguments: ExactJson,
        },
        /// This one, and those like it from now on.
        Always {
            /// In this session only.
            #[serde(default)]
            in_session: bool,
            /// For how many seconds; none: as the configuration says.
            lasts_seconds: Option<u32>,
            /// In the whole workspace for agents too. What is asked on the card of an agent always is.
            #[serde(default)]
            agents: bool,
            /// What it covers: as the card offers it, or other conditions that cover the call on the card; none: as
            /// `always` of the card says, any number of times.
            width: Option<RuleWidthShape>,
        },
        /// Not at all.
        Reject {
            /// What the model is told. Of a call that was decided before, it is stored as a comment on that decision.
            reason: Option<String>,
        },
        /// Not at all, and words in place of yes or no: a message that the model reads at once. Calls of the session that
        /// nobody decided on are cancelled, as by any message. It is sent alone, without other decisions.
        Answer {
            /// The words. An agent, which takes no messages, reads them as the reason.
            text: String,
        },
    }

    // `ToSchema` for its attributes only.
    #[derive(Deserialize, ToSchema)]
    #[serde(remote = "DecisionShape", rename_all = "snake_case", deny_unknown_fields)]
    mirror! { DecisionShapeByWord by "decision", units ["approve"] }
}

/// Decisions on several cards of a session: all are taken, or none.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionsShape {
    /// One for each card.
    pub decisions: Vec<CardDecisionShape>,
}

/// A decision on one card.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CardDecisionShape {
    /// The approval.
    pub approval: String,
    /// The digest of its card as it was read.
    pub digest: String,
    /// What is decided.
    #[serde(flatten)]
    pub decision: DecisionShape,
}

impl<'de> Deserialize<'de> for CardDecisionShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut members = RawMembers::read(deserializer)?;
        Ok(Self {
            approval: members.take::<_, D::Error>("approval")?,
            digest: members.take::<_, D::Error>("digest")?,
            decision: members.into_shape::<_, D::Error>()?,
        })
    }
}

/// What was decided on several cards.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AllDecidedShape {
    /// One for each, in the order they were sent.
    pub decisions: Vec<DecidedShape>,
}

/// What was decided.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DecidedShape {
    /// The approval.
    pub id: String,
    /// The call.
    pub call: String,
    /// `approved`, `edited`, `rejected`, `rule` or `policy`; null when it is not known.
    pub decision: Option<Cow<'static, str>>,
    /// Who decided.
    pub decided_by: Option<String>,
    /// The rule that was made with it.
    pub rule: Option<String>,
    /// Reasons that people gave who decided after that, the earliest first.
    pub comments: Vec<DecisionCommentShape>,
    /// Where the call is now.
    pub state: String,
}
