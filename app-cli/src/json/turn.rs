use std::collections::BTreeMap;

use entracte_application::json_value::to_serde;
use entracte_application::ports::CallProgress;
use entracte_application::stream::SessionLevelCall;
use entracte_application::use_cases::{
    ApprovalView, LocalizedReason, ModelReplyView, PendingDecision, QueuePosition, TurnView,
};
use entracte_domain::dollars::Dollars;
use entracte_domain::id::SessionId;
use entracte_domain::usage::{Cost, Usage};
use serde::Serialize;
use serde_json::Number;

use crate::render::time::iso;
use entracte_adapters_http::shapes::agent::{ChainShape, chain};
use entracte_adapters_http::shapes::card::{QuestionShape, ReasonShape};
use entracte_adapters_http::shapes::rule::{ConditionShape, conditions};
use entracte_adapters_http::shapes::session::QueueShape;

/// `entracte.turn/1`: one turn.
#[derive(Serialize)]
pub(crate) struct TurnObject {
    schema: &'static str,
    session: String,
    phase: &'static str,
    standing: &'static str,
    rounds: u32,
    reply: Option<ReplyObject>,
    waiting: Option<PendingInputObject>,
    /// The chain to the waiting agent, if an agent waits; otherwise empty.
    waits_in: Vec<ChainShape>,
    calls: Vec<TurnCallObject>,
    usage: TokenUsageObject,
    end_reason: Option<&'static str>,
    /// Its place in the slot queue; null if it does not wait.
    slot: Option<QueueShape>,
    /// Notices about failed providers that a fallback replaced.
    fell_back: Vec<String>,
    /// The person who stopped or interrupted it.
    halted_by: Option<String>,
    /// Messages that wait for the next round.
    queued_messages: Vec<String>,
}

#[derive(Serialize)]
struct ReplyObject {
    message: String,
    text: String,
    /// The latest plan of the model in this turn.
    plan: Vec<String>,
}

/// `entracte.delta/1`: a part of the model's reply; void if its attempt fails, as the entries show.
#[derive(Serialize)]
pub(crate) struct ReplyDeltaObject {
    schema: &'static str,
    session: String,
    text: String,
}

impl ReplyDeltaObject {
    /// An object of this part.
    pub(crate) fn new(session: &SessionId, text: &str) -> Self {
        Self { schema: "entracte.delta/1", session: session.to_string(), text: text.to_owned() }
    }
}

/// `entracte.progress/1`: how far a running call is; its latest report counts.
#[derive(Serialize)]
pub(crate) struct CallProgressObject {
    schema: &'static str,
    session: String,
    call: String,
    command: String,
    text: String,
    percent: Option<u8>,
}

impl CallProgressObject {
    /// An object of this report.
    pub(crate) fn new(session: &SessionId, call: &SessionLevelCall, progress: &CallProgress) -> Self {
        Self {
            schema: "entracte.progress/1",
            session: session.to_string(),
            call: call.id.to_string(),
            command: call.command.clone(),
            text: progress.text.clone(),
            percent: progress.percent,
        }
    }
}

/// `entracte.thought/1`: a part of the model's visible reasoning, or of its summary. Not part of the reply.
#[derive(Serialize)]
pub(crate) struct ReasoningDeltaObject {
    schema: &'static str,
    session: String,
    text: String,
}

impl ReasoningDeltaObject {
    /// An object of this part.
    pub(crate) fn new(session: &SessionId, text: &str) -> Self {
        Self { schema: "entracte.thought/1", session: session.to_string(), text: text.to_owned() }
    }
}

#[derive(Serialize)]
#[serde(tag = "kind", content = "items", rename_all = "snake_case")]
enum PendingInputObject {
    Validation(Vec<PendingApprovalObject>),
    Question(Vec<QuestionShape>),
}

#[derive(Serialize)]
struct PendingApprovalObject {
    id: String,
    digest: Option<String>,
    changed: bool,
    /// The calls that must end before it starts.
    starts_after: Vec<String>,
    command: String,
    arguments: serde_json::Value,
    says: String,
    before: BTreeMap<String, String>,
    after: BTreeMap<String, String>,
    reasons: Vec<ReasonShape>,
    warnings: Vec<String>,
    /// The people whose messages are in the exchange.
    asked_by: Vec<String>,
    /// The person whose rights the call has.
    acts_as: Option<String>,
    /// The chain to the asking agent; empty if no agent asks.
    chain: Vec<ChainShape>,
    /// The conditions on arguments of later calls with `--always`; null if it is not possible.
    always: Option<BTreeMap<String, ConditionShape>>,
    expires_at: String,
}

#[derive(Serialize)]
struct TurnCallObject {
    id: String,
    command: String,
    status: String,
}

/// Tokens and their cost.
#[derive(Serialize)]
pub(super) struct TokenUsageObject {
    input: u64,
    cache_read: u64,
    cache_write: u64,
    output: u64,
    /// Null if the cost is unknown.
    cost_usd: Option<Number>,
    /// Whether a part of the cost is unknown.
    cost_at_least: bool,
}

impl TurnObject {
    /// The turn, and its session's place in the slot queue.
    pub(crate) fn new(turn: &TurnView, place: Option<&QueuePosition>) -> Self {
        let calls = turn.calls.iter().map(|call| TurnCallObject {
            id: super::text(&call.id),
            command: call.command.clone(),
            status: call.status.clone(),
        });
        Self {
            schema: "entracte.turn/1",
            session: turn.session.facts.id.to_string(),
            phase: turn.session.phase.label().word(),
            standing: turn.session.standing.word(),
            rounds: turn.rounds,
            reply: turn.reply.as_ref().map(ReplyObject::from),
            waiting: turn.waiting.as_ref().map(PendingInputObject::from),
            waits_in: chain(&turn.waits_in),
            calls: calls.collect(),
            usage: TokenUsageObject::from(turn.usage),
            end_reason: turn.session.phase.end_reason().map(|reason| reason.word()),
            slot: place.map(QueueShape::from),
            fell_back: turn.fell_back.clone(),
            halted_by: turn.halted.as_ref().map(|halted| halted.author.clone()),
            queued_messages: turn
                .session
                .facts
                .queue
                .iter()
                .map(|queued| queued.message.to_string())
                .collect(),
        }
    }
}

impl From<&ModelReplyView> for ReplyObject {
    fn from(ModelReplyView { message, text, plan }: &ModelReplyView) -> Self {
        Self { message: message.to_string(), text: text.clone(), plan: plan.clone() }
    }
}

impl From<&PendingDecision> for PendingInputObject {
    fn from(waiting: &PendingDecision) -> Self {
        match waiting {
            PendingDecision::Validation(approvals) => {
                Self::Validation(approvals.iter().map(PendingApprovalObject::from).collect())
            }
            PendingDecision::Question(question) => Self::Question(vec![QuestionShape::from(question)]),
        }
    }
}

impl From<&ApprovalView> for PendingApprovalObject {
    fn from(approval: &ApprovalView) -> Self {
        let command = approval.call.effective_command();
        Self {
            id: approval.id.to_string(),
            digest: approval.digest.as_ref().map(ToString::to_string),
            changed: approval.is_changed,
            starts_after: approval.starts_after.iter().map(ToString::to_string).collect(),
            command: command.name.clone(),
            arguments: to_serde(&command.arguments),
            says: approval.description.says.clone(),
            before: approval.description.before.iter().cloned().collect(),
            after: approval.description.after.iter().cloned().collect(),
            reasons: reasons(&approval.reasons),
            warnings: approval.description.warnings.clone(),
            asked_by: approval.call.asked_by.people.clone(),
            acts_as: approval.call.principal().map(str::to_owned),
            chain: chain(&approval.chain),
            always: approval.always.as_deref().map(conditions),
            expires_at: iso(approval.expires_at),
        }
    }
}

/// Converts approval reasons.
pub(super) fn reasons(reasons: &[LocalizedReason]) -> Vec<ReasonShape> {
    let shape = |reason: &LocalizedReason| ReasonShape {
        level: reason.level.word().into(),
        text: reason.text.clone(),
    };
    reasons.iter().map(shape).collect()
}

impl From<Usage> for TokenUsageObject {
    fn from(usage: Usage) -> Self {
        let Usage { input, cache_read, cache_write, output, .. } = usage;
        let (cost_usd, cost_at_least) = match usage.known_cost() {
            Cost::Exactly(cost) => (number(cost), false),
            Cost::AtLeast(cost) => (number(cost), true),
            Cost::Unknown => (None, false),
        };
        Self { input, cache_read, cache_write, output, cost_usd, cost_at_least }
    }
}

/// An amount with all digits as a number.
fn number(cost: Dollars) -> Option<Number> {
    cost.to_string().parse().ok()
}
