//! Shapes of sessions.

use std::borrow::Cow;

use entracte_application::ports::SessionListRow;
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::PrefixOverrun;
use entracte_application::use_cases::{
    AcceptedRequest, ContextUsage, QueuePosition, RunningSession, SessionMetrics, SessionView,
};
use entracte_domain::id::CallId;
use entracte_domain::plan::PlanMode;
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::approved_plan::PlanShape;
use super::cost::UsageShape;
use super::frame::PendingInteractionShape;
use super::{iso, wire_words};
use crate::etag::EntityTag;

/// A session in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SessionItem {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// `chat`, `seed`, `automation` or `agent`.
    pub kind: String,
    /// Whether it may work.
    pub standing: String,
    /// Where it stands.
    pub phase: String,
    /// A person is waited for: by the session, or by an agent below it.
    pub waiting: bool,
    /// Its earliest deadline.
    pub wake_at: Option<String>,
    /// Why it ended.
    pub end_reason: Option<String>,
    /// When it was made.
    pub created_at: String,
    /// When something happened in it last.
    pub last_activity: String,
}

impl From<SessionListRow> for SessionItem {
    fn from(line: SessionListRow) -> Self {
        Self {
            id: line.id.to_string(),
            name: line.name,
            kind: line.kind.word().to_owned(),
            standing: line.standing.word().to_owned(),
            phase: line.phase.word().to_owned(),
            waiting: line.waiting,
            wake_at: line.wake_at.map(iso),
            end_reason: line.end_reason.map(|reason| reason.word().to_owned()),
            created_at: iso(line.created_at),
            last_activity: iso(line.last_activity),
        }
    }
}

/// What of a session may be edited. Its tag is the ETag of the session.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EditableShape {
    /// The provider of its rounds.
    pub provider: String,
    /// The model.
    pub model: String,
    /// `envelope` or `tools`.
    pub dialect: &'static str,
    /// Every action needs an approval.
    pub require_validation: bool,
    /// Whether a plan comes before its actions: `free` or `plan`; null: as its automation or the workspace says.
    pub mode: Option<&'static str>,
    /// The commands it may ask for; null: all of the catalog.
    pub commands: Option<Vec<String>>,
}

/// A session.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SessionShape {
    /// Its id.
    pub id: String,
    /// Its workspace.
    pub workspace: String,
    /// Its name.
    pub name: String,
    /// `chat`, `seed`, `automation` or `agent`.
    pub kind: &'static str,
    /// Whether it may work.
    pub standing: &'static str,
    /// Where it stands.
    pub phase: &'static str,
    /// Why a parked one rests.
    pub parked: Option<&'static str>,
    /// Who has it open.
    pub open_by: Vec<String>,
    /// What may be edited.
    #[serde(flatten)]
    pub editable: EditableShape,
    /// The plan that a person approved last, and how far it is.
    pub plan: Option<PlanShape>,
    /// The automation it runs for.
    pub automation: Option<String>,
    /// The instant it runs for.
    pub occurrence: Option<String>,
    /// Rounds so far.
    pub rounds: u32,
    /// Calls so far.
    pub calls: u32,
    /// What waits for a person: in the session, or in an agent below it.
    pub waiting: Vec<PendingInteractionShape>,
    /// Actions whose outcome a person settles.
    pub unsettled: Vec<String>,
    /// Messages that wait for the next round.
    pub queued_messages: Vec<String>,
    /// When it was made.
    pub created_at: String,
    /// When something happened in it last.
    pub last_activity: String,
    /// Its earliest deadline.
    pub wake_at: Option<String>,
    /// What it will be woken for.
    pub wake_reason: Option<&'static str>,
    /// What its rounds used.
    pub usage: UsageShape,
    /// Why it ended.
    pub end_reason: Option<&'static str>,
}

impl SessionShape {
    /// The shape of a stored session, with the agents below it that run. `running` has the session itself, too.
    pub fn new(view: &SessionView, running: &[RunningSession], rules: &RuleBook, now: Timestamp) -> Self {
        let facts = &view.facts;
        Self {
            id: facts.id.to_string(),
            workspace: facts.workspace.to_string(),
            name: facts.name.clone(),
            kind: facts.kind.word(),
            standing: view.standing.word(),
            phase: view.phase.label().word(),
            parked: view.phase.park_reason().map(wire_words::parked),
            open_by: facts.active_attachments(now).map(|attachment| attachment.author.clone()).collect(),
            editable: EditableShape {
                provider: facts.provider.clone(),
                model: facts.model.clone(),
                dialect: wire_words::dialect(facts.dialect),
                require_validation: facts.require_validation,
                mode: facts.mode.map(PlanMode::word),
                commands: wire_words::patterns(&facts.restriction),
            },
            plan: facts.plan.as_ref().map(PlanShape::from),
            automation: facts.automation.clone(),
            occurrence: facts.scheduled_at.map(iso),
            rounds: facts.counters.rounds_total,
            calls: facts.counters.calls_total,
            waiting: running
                .iter()
                .flat_map(RunningSession::pending)
                .map(|pending| PendingInteractionShape::from(&pending))
                .collect(),
            unsettled: facts.unsettled.iter().map(CallId::to_string).collect(),
            queued_messages: facts.queue.iter().map(|queued| queued.message.to_string()).collect(),
            created_at: iso(facts.created_at),
            last_activity: iso(facts.last_event_at),
            wake_at: view.wake_at.map(iso),
            wake_reason: view.next_wake(rules).map(|(_, reason)| reason.word()),
            usage: UsageShape::from(facts.usage),
            end_reason: view.phase.end_reason().map(|reason| reason.word()),
        }
    }

    /// The tag of the editable fields.
    pub fn tag(&self) -> EntityTag {
        EntityTag::from_content(&self.editable)
    }
}

/// What an accepted request became.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AcceptedShape {
    /// The session.
    pub session: String,
    /// The message, when it became one.
    pub message: Option<String>,
    /// What came of asking for its slot.
    pub activation: Option<Cow<'static, str>>,
}

impl From<AcceptedRequest> for AcceptedShape {
    fn from(accepted: AcceptedRequest) -> Self {
        Self {
            session: accepted.session.to_string(),
            message: accepted.message.map(|message| message.to_string()),
            activation: accepted.activation.map(|activation| wire_words::activation(activation).into()),
        }
    }
}

/// How it stops.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StopShape {
    /// Ends it for good; false unless given.
    #[serde(default)]
    pub end: bool,
}

/// Why it is not.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RejectionShape {
    /// What is missing; the model reads it.
    pub reason: Option<String>,
}

/// A session that waits for its slot.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct QueueShape {
    /// Its place; null when it waits for none.
    pub position: Option<usize>,
    /// Since when.
    pub since: Option<String>,
    /// Those that go before it.
    pub ahead: Vec<AheadShape>,
}

/// One that goes before.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AheadShape {
    /// The session.
    pub session: String,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// Whether it may work.
    pub standing: &'static str,
    /// Since when it waits or works.
    pub since: String,
}

impl From<Option<QueuePosition>> for QueueShape {
    fn from(place: Option<QueuePosition>) -> Self {
        place.as_ref().map_or(Self { position: None, since: None, ahead: Vec::new() }, Self::from)
    }
}

impl From<&QueuePosition> for QueueShape {
    fn from(place: &QueuePosition) -> Self {
        let ahead = place.ahead.iter().map(|ahead| AheadShape {
            session: ahead.session.to_string(),
            name: ahead.name.clone(),
            kind: ahead.kind.word(),
            standing: ahead.standing.word(),
            since: iso(ahead.since),
        });
        Self { position: Some(place.position), since: Some(iso(place.since)), ahead: ahead.collect() }
    }
}

/// How a session went.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MetricsShape {
    /// Rounds.
    pub rounds: u32,
    /// Rounds that nobody asked for.
    pub relaunches: u32,
    /// Rounds that were not made because nothing came of those before.
    pub early_stops: u32,
    /// Last rounds before a limit.
    pub circuit_breaks: u32,
    /// Calls.
    pub calls: u32,
    /// Those that succeeded.
    pub succeeded: u32,
    /// Those that failed.
    pub failed: u32,
    /// Of a hundred that came to an end; null before the first.
    pub success_percent: Option<u64>,
    /// Milliseconds that calls took together.
    pub took_ms: i64,
    /// Milliseconds of the longest.
    pub longest_ms: i64,
    /// How full the prompt is.
    pub context: ContextShape,
}

/// How full the prompt of a session is, in tokens.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ContextShape {
    /// The last request with its answer.
    pub size: u64,
    /// Of these, those that the provider counted; the others are estimated.
    pub counted: u64,
    /// Beyond this the conversation is summed up; null where the provider cannot be had.
    pub budget: Option<u64>,
    /// What the model reads and writes at once; null where the provider cannot be had.
    pub window: Option<u64>,
    /// Who says so: `setting`, `listing`, `table` or `guess`.
    pub window_told: Option<&'static str>,
    /// What stands before the conversation in every request, estimated.
    pub prefix: u64,
    /// What that may have of the budget; null where it has no more.
    pub prefix_most: Option<u64>,
    /// Its largest part, where it has more: `instructions workspace`.
    pub prefix_largest: Option<String>,
}

impl From<&ContextUsage> for ContextShape {
    fn from(full: &ContextUsage) -> Self {
        Self {
            size: full.size.tokens,
            counted: full.size.counted,
            budget: full.budget,
            window: full.window.map(|window| window.tokens),
            window_told: full.window.map(|window| window.told.word()),
            prefix: full.prefix,
            prefix_most: full.overweight.as_ref().map(|heavy| heavy.most),
            prefix_largest: full.overweight.as_ref().map(PrefixOverrun::part_name),
        }
    }
}

impl MetricsShape {
    /// The shape of a session's metrics.
    pub fn new(metrics: &SessionMetrics, full: &ContextUsage) -> Self {
        Self {
            rounds: metrics.rounds,
            relaunches: metrics.relaunches,
            early_stops: metrics.early_stops,
            circuit_breaks: metrics.circuit_breaks,
            calls: metrics.calls,
            succeeded: metrics.succeeded,
            failed: metrics.failed,
            success_percent: metrics.success_percent(),
            took_ms: metrics.took.0,
            longest_ms: metrics.longest.0,
            context: full.into(),
        }
    }
}

/// A chat to be made.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSession {
    /// Its name; none: it gets one from its first message.
    pub name: Option<String>,
    /// The provider; the configuration's default.
    pub provider: Option<String>,
    /// The model; the provider's default.
    pub model: Option<String>,
    /// Every action needs an approval; false unless given.
    #[serde(default)]
    pub require_validation: bool,
    /// Whether a plan comes before its actions: `free` or `plan`; none: as the workspace says.
    pub mode: Option<String>,
    /// The commands it may ask for: `zones.list`, `files.*`; none: all.
    pub commands: Option<Vec<String>>,
}

/// A change of a session; what is left out stays.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionEdit {
    /// The provider.
    pub provider: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// `envelope` or `tools`.
    pub dialect: Option<String>,
    /// Every action needs an approval.
    pub require_validation: Option<bool>,
    /// Whether a plan comes before its actions: `free` or `plan`.
    pub mode: Option<String>,
    /// The commands it may ask for; an empty list: none.
    pub commands: Option<Vec<String>>,
    /// Its name.
    pub name: Option<String>,
}
