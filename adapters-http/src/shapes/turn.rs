//! The shape of a turn: what came of a session since an entry of its log.

use std::borrow::Cow;

use entracte_application::commands::Catalog;
use entracte_application::use_cases::{
    ApprovalView, CallStatusView, ModelReplyView, PendingDecision, QueuePosition, TurnOutcome, TurnView,
};
use entracte_domain::time::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::agent::{ChainShape, chain};
use super::card::{CardShape, QuestionShape};
use super::cost::UsageShape;
use super::iso;
use super::session::QueueShape;
use super::tagged::RawMembers;

/// A turn: what came of a session since an entry of its log, and how the session stands now.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TurnShape {
    /// The session.
    pub session: String,
    /// Its phase.
    pub phase: Cow<'static, str>,
    /// Whether it may work.
    pub standing: Cow<'static, str>,
    /// The rounds of the turn.
    pub rounds: u32,
    /// The last reply of the model; null if it gave none.
    pub reply: Option<TurnReplyShape>,
    /// What waits for a person: in the session, or in an agent below it.
    pub waiting: Option<TurnWaitShape>,
    /// From the session down to the agent that waits, itself last; empty if the session itself waits, or nothing.
    pub waits_in: Vec<ChainShape>,
    /// The calls of the turn.
    pub calls: Vec<TurnCallShape>,
    /// What its rounds used.
    pub usage: UsageShape,
    /// Why the session ended; null while it has not.
    pub end_reason: Option<Cow<'static, str>>,
    /// The wait of the session for a slot; null if it waits for none.
    pub slot: Option<QueueShape>,
    /// The notices that another provider replaced one that failed.
    pub fell_back: Vec<String>,
    /// The person who stopped or interrupted the turn; null if nobody did, or if the session continued later.
    pub halted_by: Option<String>,
    /// Whether that person stopped the work of the session, and not the round alone.
    pub is_stopped: bool,
    /// Messages that wait for the next round.
    pub queued_messages: Vec<String>,
    /// `done`, `waits_for_person`, `outcome_unknown`, `limit_reached`, `timed_out`, `failed`, `stopped` or `replaced`.
    pub outcome: Cow<'static, str>,
    /// What went wrong, in words for people, the latest last.
    pub troubles: Vec<TurnTroubleShape>,
    /// The people whose messages are in the exchange.
    pub asked_by: Vec<String>,
    /// The provider of the session.
    pub provider: String,
    /// Its model.
    pub model: String,
    /// The earliest deadline of the session; null if it has none.
    pub wake_at: Option<String>,
    /// Whether the session does nothing more by itself.
    pub rests: bool,
    /// The `seq` of the entry after which the turn begins.
    pub after: u64,
    /// The `seq` of the last entry of the turn.
    pub last: u64,
}

/// A reply of a model.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TurnReplyShape {
    /// The message.
    pub message: String,
    /// What it says.
    pub text: String,
    /// The steps that the model planned last in this turn.
    pub plan: Vec<String>,
}

/// What waits for a person.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "kind", content = "items", rename_all = "snake_case")]
pub enum TurnWaitShape {
    /// Decisions.
    Validation(Vec<CardShape>),
    /// An answer.
    Question(Vec<QuestionShape>),
}

impl<'de> Deserialize<'de> for TurnWaitShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut members = RawMembers::read(deserializer)?;
        let kind: String = members.take::<_, D::Error>("kind")?;
        match kind.as_str() {
            "validation" => Ok(Self::Validation(members.take::<_, D::Error>("items")?)),
            "question" => Ok(Self::Question(members.take::<_, D::Error>("items")?)),
            other => Err(D::Error::unknown_variant(other, &["validation", "question"])),
        }
    }
}

/// A call of a turn.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TurnCallShape {
    /// The call.
    pub id: String,
    /// Its command.
    pub command: String,
    /// Its state.
    pub status: String,
}

/// Something that went wrong.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TurnTroubleShape {
    /// `LIMIT_REACHED`, `NETWORK_ERROR`, `PROVIDER_ERROR`, `SESSION_TIMEOUT` or `SPENDING_QUESTION`.
    pub kind: Cow<'static, str>,
    /// The message for people.
    pub text: String,
}

/// What of a turn was read, and when.
#[derive(Clone, Copy, Debug)]
pub struct TurnReading {
    /// The `seq` of the entry after which the turn begins.
    pub after: u64,
    /// The `seq` of its last entry.
    pub last: u64,
    /// Whether the session does nothing more by itself.
    pub rests: bool,
    /// When it was read.
    pub now: Timestamp,
}

impl TurnShape {
    /// The shape of a turn; `place` is the place of its session in the queue for slots.
    pub fn new(
        turn: &TurnView,
        place: Option<&QueuePosition>,
        catalog: &Catalog,
        reading: TurnReading,
    ) -> Self {
        let (session, halted) = (&turn.session, turn.halted.as_ref());
        let facts = &session.facts;
        let trouble = |(kind, text): &(entracte_domain::message::SystemKind, String)| TurnTroubleShape {
            kind: kind.word().into(),
            text: text.clone(),
        };
        Self {
            session: facts.id.to_string(),
            phase: session.phase.label().word().into(),
            standing: session.standing.word().into(),
            rounds: turn.rounds,
            reply: turn.reply.as_ref().map(TurnReplyShape::from),
            waiting: turn.waiting.as_ref().map(|waiting| waits(turn, waiting, catalog, reading.now)),
            waits_in: chain(&turn.waits_in),
            calls: turn.calls.iter().map(TurnCallShape::from).collect(),
            usage: turn.usage.into(),
            end_reason: session.phase.end_reason().map(|reason| reason.word().into()),
            slot: place.map(QueueShape::from),
            fell_back: turn.fell_back.clone(),
            halted_by: halted.map(|halted| halted.author.clone()),
            is_stopped: halted.is_some_and(|halted| halted.is_stop),
            queued_messages: facts.queue.iter().map(|queued| queued.message.to_string()).collect(),
            outcome: outcome_word(turn.outcome()).into(),
            troubles: turn.troubles.iter().map(trouble).collect(),
            asked_by: facts.asked_by.people.clone(),
            provider: facts.provider.clone(),
            model: facts.model.clone(),
            wake_at: session.wake_at.map(iso),
            rests: reading.rests,
            after: reading.after,
            last: reading.last,
        }
    }
}

fn waits(turn: &TurnView, waiting: &PendingDecision, catalog: &Catalog, now: Timestamp) -> TurnWaitShape {
    match waiting {
        PendingDecision::Validation(approvals) => {
            let shape = |approval: &ApprovalView| {
                let after = approvals.iter().filter(|other| other.starts_after.contains(&approval.call.id));
                let then = after.map(|other| other.call.id.to_string()).collect();
                CardShape { then, read_at: iso(now), ..card(turn, approval, catalog) }
            };
            TurnWaitShape::Validation(approvals.iter().map(shape).collect())
        }
        PendingDecision::Question(question) => TurnWaitShape::Question(vec![question.into()]),
    }
}

fn card(turn: &TurnView, approval: &ApprovalView, catalog: &Catalog) -> CardShape {
    let spec = catalog.find(&approval.call.effective_command().name).map(|known| &known.spec);
    let facts = &turn.session.facts;
    let (session, session_name) = match turn.waits_in.last() {
        Some(agent) => (agent.session.to_string(), agent.name.clone()),
        None => (facts.id.to_string(), facts.name.clone()),
    };
    CardShape {
        session,
        session_name,
        destructive: spec.is_some_and(|spec| spec.destructive),
        egress: spec.is_some_and(|spec| spec.egress),
        // An agent's message is not an address.
        target: spec.filter(|spec| spec.agent.is_none()).map_or(Value::Null, |spec| spec.target.clone()),
        automation: facts.automation.clone(),
        asked_at: iso(approval.call.requested_at),
        ..CardShape::from(approval)
    }
}

const fn outcome_word(outcome: TurnOutcome) -> &'static str {
    match outcome {
        TurnOutcome::Done => "done",
        TurnOutcome::WaitsForPerson => "waits_for_person",
        TurnOutcome::OutcomeUnknown => "outcome_unknown",
        TurnOutcome::LimitReached => "limit_reached",
        TurnOutcome::TimedOut => "timed_out",
        TurnOutcome::Failed => "failed",
        TurnOutcome::Stopped => "stopped",
        TurnOutcome::Replaced => "replaced",
    }
}

impl From<&ModelReplyView> for TurnReplyShape {
    fn from(ModelReplyView { message, text, plan }: &ModelReplyView) -> Self {
        Self { message: message.to_string(), text: text.clone(), plan: plan.clone() }
    }
}

impl From<&CallStatusView> for TurnCallShape {
    fn from(call: &CallStatusView) -> Self {
        Self { id: call.id.to_string(), command: call.command.clone(), status: call.status.clone() }
    }
}
