//! Shapes of sessions.

mod metrics;
mod queue;

use std::borrow::Cow;

use entracte_application::ports::SessionListRow;
use entracte_application::rule_book::RuleBook;
use entracte_application::stream::PendingSubject;
use entracte_application::use_cases::{AcceptedRequest, RunningSession, SessionView, running_tree_usage};
use entracte_domain::id::CallId;
use entracte_domain::question::Question;
use entracte_domain::session::{ParkReason, Phase, SessionCounters, SessionFacts};
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::approved_plan::PlanShape;
use super::card::QuestionShape;
use super::cost::UsageShape;
use super::frame::PendingInteractionShape;
use super::message::NewMessage;
use super::task::TaskLineShape;
use super::{iso, wire_words};
use crate::etag::EntityTag;

pub use metrics::{ContextShape, MetricsShape, SessionOriginShape};
pub use queue::{AheadShape, QueueShape};

/// A session in a list.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SessionItem {
    /// Its id.
    pub id: String,
    /// Its workspace.
    #[serde(default)]
    pub workspace: String,
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
    /// Its place in the queue for slots, from 1; null unless it waits there and `details` were asked for.
    pub position: Option<usize>,
    /// What it will be woken for; null unless `details` were asked for.
    pub wake_reason: Option<Cow<'static, str>>,
    /// Whether work is under way in it or should be; null unless `details` were asked for.
    pub working: Option<bool>,
    /// The messages in it that the reader has not read; null unless `details` were asked for.
    pub unread: Option<usize>,
    /// The messages that wait for its next round; null unless `details` were asked for.
    pub queued_messages: Option<usize>,
    /// Its rounds so far; null unless `details` were asked for.
    pub rounds: Option<u32>,
    /// Its provider; null unless `details` were asked for.
    pub provider: Option<String>,
}

impl From<SessionListRow> for SessionItem {
    fn from(line: SessionListRow) -> Self {
        Self {
            id: line.id.to_string(),
            workspace: line.workspace.to_string(),
            name: line.name,
            kind: line.kind.word().to_owned(),
            standing: line.standing.word().to_owned(),
            phase: line.phase.word().to_owned(),
            waiting: line.waiting,
            wake_at: line.wake_at.map(iso),
            end_reason: line.end_reason.map(|reason| reason.word().to_owned()),
            created_at: iso(line.created_at),
            last_activity: iso(line.last_activity),
            position: None,
            wake_reason: None,
            working: None,
            unread: None,
            queued_messages: None,
            rounds: None,
            provider: None,
        }
    }
}

impl SessionItem {
    /// Adds the details of a session that can be read.
    #[must_use]
    pub fn with_details(self, view: &SessionView, rules: &RuleBook) -> Self {
        let wake_reason = view.next_wake(rules).map(|(_, reason)| reason.word().into());
        let (rounds, provider) = (view.facts.counters.rounds_total, view.facts.provider.clone());
        let queued_messages = Some(waiting_messages(view));
        Self { wake_reason, queued_messages, rounds: Some(rounds), provider: Some(provider), ..self }
    }
}

/// The number of messages that no round has answered: those sent during a round, and the request of a replaced chat.
fn waiting_messages(view: &SessionView) -> usize {
    let waiting = view.facts.queue.len() + usize::from(view.facts.owes_round);
    if view.phase.end_reason().is_some() { 0 } else { waiting }
}

/// What of a session may be edited. Its tag is the ETag of the session.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct EditableShape {
    /// The provider of its rounds.
    pub provider: String,
    /// The model.
    pub model: String,
    /// `envelope` or `tools`.
    pub dialect: Cow<'static, str>,
    /// Every action needs an approval.
    pub require_validation: bool,
    /// Whether a plan comes before its actions: `free` or `plan`; null: as its automation or the workspace says.
    pub mode: Option<Cow<'static, str>>,
    /// The commands it may ask for; null: all of the catalog.
    pub commands: Option<Vec<String>>,
}

impl From<&SessionFacts> for EditableShape {
    fn from(facts: &SessionFacts) -> Self {
        Self {
            provider: facts.provider.clone(),
            model: facts.model.clone(),
            dialect: wire_words::dialect(facts.dialect).into(),
            require_validation: facts.require_validation,
            mode: facts.mode.map(|mode| mode.word().into()),
            commands: wire_words::patterns(&facts.restriction),
        }
    }
}

/// A session.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SessionShape {
    /// Its id.
    pub id: String,
    /// Its workspace.
    pub workspace: String,
    /// Its name.
    pub name: String,
    /// `chat`, `seed`, `automation` or `agent`.
    pub kind: Cow<'static, str>,
    /// Whether it may work.
    pub standing: Cow<'static, str>,
    /// Where it stands.
    pub phase: Cow<'static, str>,
    /// Why a parked one rests.
    pub parked: Option<Cow<'static, str>>,
    /// What exhausted a parked one, in words for people; null where another reason parked it.
    pub parked_text: Option<String>,
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
    /// Rounds since a person wrote.
    #[serde(default)]
    pub rounds_since_human: u32,
    /// Calls so far.
    pub calls: u32,
    /// The counters that its limits are checked against.
    #[serde(default)]
    pub counters: SessionCountersShape,
    /// What waits for a person: in the session, or in an agent below it.
    pub waiting: Vec<PendingInteractionShape>,
    /// The approvals that are asked for first: by the session, or else by an agent below it.
    #[serde(default)]
    pub approvals: Vec<String>,
    /// The question that is asked first: by the session, or else by an agent below it.
    pub question: Option<QuestionShape>,
    /// Actions whose outcome a person settles.
    pub unsettled: Vec<String>,
    /// Messages that wait for the next round.
    pub queued_messages: Vec<String>,
    /// Whether its last request still waits for a round, because a later chat took its place in the queue.
    #[serde(default)]
    pub owes_round: bool,
    /// When it was made.
    pub created_at: String,
    /// When something happened in it last.
    pub last_activity: String,
    /// Its earliest deadline.
    pub wake_at: Option<String>,
    /// What it will be woken for.
    pub wake_reason: Option<Cow<'static, str>>,
    /// What its rounds and those of all agents below it used.
    pub usage: UsageShape,
    /// What its own rounds used.
    #[serde(default)]
    pub own_usage: UsageShape,
    /// Why it ended.
    pub end_reason: Option<Cow<'static, str>>,
    /// Its place in the queue for slots, from 1; null unless it waits there and `details` were asked for.
    pub position: Option<usize>,
    /// Its wait for a slot; null unless it waits and `details` were asked for.
    pub slot: Option<QueueShape>,
    /// What began the run: `manual`, `scheduled` or `event`; null for other sessions, and unless `details` were asked for.
    pub trigger: Option<String>,
    /// The version of its automation that runs; null for other sessions, and unless `details` were asked for.
    pub automation_version: Option<u32>,
    /// Its long tasks, those that are not over first; null unless `details` were asked for.
    pub tasks: Option<Vec<TaskLineShape>>,
    /// How it went; null unless `details` were asked for.
    pub metrics: Option<MetricsShape>,
    /// What its own settings and those of its workspace say together; null unless `details` were asked for.
    pub policies: Option<SessionPoliciesShape>,
}

/// The policies of a session: the workspace's, or its own where they are stricter.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SessionPoliciesShape {
    /// How an unattended session handles an action that needs an approval: `park`, `refuse` or `allow`.
    pub unattended: Cow<'static, str>,
    /// Its own limits: `autonomous` or `strict`; null where the workspace's count.
    pub limits: Option<Cow<'static, str>>,
    /// Whether a model has to confirm that its work is complete: `trust` or `ask_once`.
    pub completion: Cow<'static, str>,
}

/// The counters that the limits of a session are checked against.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct SessionCountersShape {
    /// Rounds.
    pub rounds_total: u32,
    /// Rounds since a person wrote.
    pub rounds_since_human: u32,
    /// Rounds in a row with nothing but queries.
    pub query_rounds: u32,
    /// Rounds in a row in which an action failed.
    pub failed_action_rounds: u32,
    /// Replies in a row that were not in the agreed form.
    pub format_errors: u32,
    /// Rounds that the session started by itself.
    pub relaunches: u32,
    /// Rounds in a row that brought nothing new.
    pub without_progress: u32,
    /// How often the last failure came in a row.
    pub equal_failures: u32,
    /// Calls.
    pub calls_total: u32,
    /// Whether the last round before a limit was made.
    pub closing_done: bool,
}

impl From<&SessionCounters> for SessionCountersShape {
    fn from(counters: &SessionCounters) -> Self {
        // Every field is destructured, so that a new one fails to compile until it is shown.
        let SessionCounters {
            rounds_total,
            rounds_since_human,
            query_rounds,
            failed_action_rounds,
            format_errors,
            relaunches,
            without_progress,
            equal_failures,
            calls_total,
            closing_done,
        } = counters;
        Self {
            rounds_total: *rounds_total,
            rounds_since_human: *rounds_since_human,
            query_rounds: *query_rounds,
            failed_action_rounds: *failed_action_rounds,
            format_errors: *format_errors,
            relaunches: *relaunches,
            without_progress: *without_progress,
            equal_failures: equal_failures.as_ref().map_or(0, |equal| equal.count),
            calls_total: *calls_total,
            closing_done: *closing_done,
        }
    }
}

impl SessionPoliciesShape {
    /// The policies of a session under the rules of its workspace.
    pub fn new(facts: &SessionFacts, rules: &RuleBook) -> Self {
        let both = rules.rules_for_session(facts);
        Self {
            unattended: both.unattended.word().into(),
            limits: facts.policy.profile.map(|own| own.word().into()),
            completion: both.completion_check.word().into(),
        }
    }
}

impl SessionShape {
    /// The shape of a stored session, with the agents below it that run. `running` has the session itself, too.
    pub fn new(view: &SessionView, running: &[RunningSession], rules: &RuleBook, now: Timestamp) -> Self {
        let facts = &view.facts;
        let asking = running.iter().find(|running| !running.pending().is_empty());
        let asked = asking.map(|running| &running.view);
        let approvals = asking.map(RunningSession::pending).unwrap_or_default();
        let approvals = approvals.into_iter().filter_map(|pending| match pending.subject {
            PendingSubject::Approval { id, .. } => Some(id.to_string()),
            PendingSubject::Question { .. } => None,
        });
        let approvals = approvals.collect();
        Self {
            id: facts.id.to_string(),
            workspace: facts.workspace.to_string(),
            name: facts.name.clone(),
            kind: facts.kind.word().into(),
            standing: view.standing.word().into(),
            phase: view.phase.label().word().into(),
            parked: view.phase.park_reason().map(|why| wire_words::parked(why).into()),
            parked_text: view.phase.park_reason().and_then(exhausted_text),
            open_by: facts.active_attachments(now).map(|attachment| attachment.author.clone()).collect(),
            editable: EditableShape::from(facts),
            plan: facts.plan.as_ref().map(PlanShape::from),
            automation: facts.automation.clone(),
            occurrence: facts.scheduled_at.map(iso),
            rounds: facts.counters.rounds_total,
            rounds_since_human: facts.counters.rounds_since_human,
            calls: facts.counters.calls_total,
            counters: SessionCountersShape::from(&facts.counters),
            question: asked.and_then(|view| question_of(&view.phase)).map(QuestionShape::from),
            approvals,
            waiting: running
                .iter()
                .flat_map(RunningSession::pending)
                .map(|pending| PendingInteractionShape::from(&pending))
                .collect(),
            unsettled: facts.unsettled.iter().map(CallId::to_string).collect(),
            queued_messages: facts.queue.iter().map(|queued| queued.message.to_string()).collect(),
            owes_round: facts.owes_round,
            created_at: iso(facts.created_at),
            last_activity: iso(facts.last_event_at),
            wake_at: view.wake_at.map(iso),
            wake_reason: view.next_wake(rules).map(|(_, reason)| reason.word().into()),
            usage: UsageShape::from(running_tree_usage(running)),
            own_usage: UsageShape::from(facts.usage),
            end_reason: view.phase.end_reason().map(|reason| reason.word().into()),
            position: None,
            slot: None,
            trigger: None,
            automation_version: None,
            tasks: None,
            metrics: None,
            policies: None,
        }
    }

    /// The number of its messages that no round has answered.
    pub fn waiting_messages(&self) -> usize {
        let waiting = self.queued_messages.len() + usize::from(self.owes_round);
        if self.end_reason.is_some() { 0 } else { waiting }
    }

    /// The tag of the editable fields.
    pub fn tag(&self) -> EntityTag {
        EntityTag::from_content(&self.editable)
    }
}

/// What exhausted a run, in words for people.
fn exhausted_text(why: &ParkReason) -> Option<String> {
    match why {
        ParkReason::Exhausted(text) => Some(text.clone()),
        ParkReason::Interrupted | ParkReason::Quarantined | ParkReason::Spending(_) => None,
    }
}

fn question_of(phase: &Phase) -> Option<&Question> {
    match phase {
        Phase::WaitingCommunicationResponse { question, .. } => Some(question),
        _ => None,
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

/// A chat to be made.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
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
    /// Its first message, which is sent in the same step: without it the chat is not made. Its key makes both safe to repeat.
    pub message: Option<NewMessage>,
}

/// A change of a session; what is left out stays.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
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
