//! What is known of a session beside its phase.

use entracte_domain::id::{CallId, SessionId, TaskId, WorkspaceKey};
use entracte_domain::plan::Mode;
use entracte_domain::session::{self as domain, Dialect, EndReason, SessionKind};
use entracte_domain::time::{Millis, Timestamp};
use serde::{Deserialize, Serialize};

use super::agent::{Agent, Below, Child};
use super::approval::AskedBy;
use super::automation::RunPolicy;
use super::counters::{Attachment, Counters, Crashes, Parked, Queued, Seen, Slot};
use super::leaf::{Due, Hash, Usage};
use super::origin::Told;
use super::plan::Plan;
use super::restriction::Restriction;
use super::words::Word;
use super::{domains, is_default, shapes};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Facts {
    id: String,
    workspace: String,
    kind: Word<SessionKind>,
    #[serde(default, skip_serializing_if = "is_default")]
    name: String,
    #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
    require_validation: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<Word<Mode>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plan: Option<Plan>,
    #[serde(default, rename = "commands", skip_serializing_if = "is_default")]
    restriction: Restriction,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    automation: Option<String>,
    #[serde(default, rename = "scheduled", skip_serializing_if = "Option::is_none")]
    scheduled_at: Option<i64>,
    #[serde(default, skip_serializing_if = "is_default")]
    policy: RunPolicy,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<Agent>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    children: Vec<Child>,
    #[serde(default, skip_serializing_if = "is_default")]
    below: Below,
    #[serde(default, skip_serializing_if = "is_default")]
    provider: String,
    #[serde(default, skip_serializing_if = "is_default")]
    model: String,
    dialect: Word<Dialect>,
    generation: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prefix: Option<Hash>,
    sequence: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    slot: Slot,
    #[serde(default, skip_serializing_if = "is_default")]
    counters: Counters,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    seen: Vec<Seen>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    queue: Vec<Queued>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tasks: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    overdue: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unsettled: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    expired: Vec<String>,
    #[serde(default, rename = "end_seen", skip_serializing_if = "is_default")]
    is_end_seen: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    exchange: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    asked_by: AskedBy,
    #[serde(default, skip_serializing_if = "is_default")]
    crashes: Crashes,
    #[serde(rename = "created")]
    created_at: i64,
    #[serde(rename = "last_event")]
    last_event_at: i64,
    #[serde(rename = "last_human")]
    last_human_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    active_since: Option<i64>,
    #[serde(default, rename = "active_before_ms", skip_serializing_if = "is_default")]
    active_before: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parked: Option<Parked>,
    #[serde(default, rename = "end", skip_serializing_if = "Option::is_none")]
    end_reason: Option<Word<EndReason>>,
    #[serde(default, skip_serializing_if = "is_default")]
    usage: Usage,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    schemas: Vec<Hash>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    told: Vec<Told>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    read: Vec<(String, u64)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attached: Vec<Attachment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asks_slot: Option<Due>,
    #[serde(default, skip_serializing_if = "is_default")]
    owes_round: bool,
}

impl Facts {
    /// Beside the facts stands what older versions kept with them, and the phase says now: why it is parked, why it ended.
    pub(super) fn of(facts: &domain::SessionFacts, phase: &domain::Phase) -> Self {
        let domain::SessionFacts {
            id,
            workspace,
            kind,
            name,
            require_validation,
            mode,
            plan,
            restriction,
            automation,
            scheduled_at,
            policy,
            parent,
            agent,
            children,
            below,
            provider,
            model,
            dialect,
            generation,
            prefix,
            sequence,
            slot,
            counters,
            seen,
            queue,
            tasks,
            overdue,
            unsettled,
            expired,
            is_end_seen,
            exchange,
            asked_by,
            crashes,
            created_at,
            last_event_at,
            last_human_at,
            active_since,
            active_before,
            usage,
            schemas,
            told,
            read,
            attached,
            asks_slot,
            owes_round,
        } = facts;
        Self {
            id: id.as_str().to_owned(),
            workspace: workspace.as_str().to_owned(),
            kind: kind.into(),
            name: name.clone(),
            require_validation: *require_validation,
            mode: mode.map(Word),
            plan: plan.as_ref().map(Into::into),
            restriction: restriction.into(),
            automation: automation.clone(),
            scheduled_at: scheduled_at.map(|at| at.0),
            policy: policy.into(),
            parent: parent.as_ref().map(|call| call.as_str().to_owned()),
            agent: agent.as_deref().map(Into::into),
            children: shapes(children),
            below: below.into(),
            provider: provider.clone(),
            model: model.clone(),
            dialect: dialect.into(),
            generation: *generation,
            prefix: prefix.as_ref().map(Into::into),
            sequence: *sequence,
            slot: slot.into(),
            counters: counters.into(),
            seen: shapes(seen),
            queue: shapes(queue),
            tasks: tasks.iter().map(|task| task.as_str().to_owned()).collect(),
            overdue: overdue.iter().map(|task| task.as_str().to_owned()).collect(),
            unsettled: unsettled.iter().map(|call| call.as_str().to_owned()).collect(),
            expired: expired.iter().map(|call| call.as_str().to_owned()).collect(),
            is_end_seen: *is_end_seen,
            exchange: *exchange,
            asked_by: asked_by.into(),
            crashes: crashes.into(),
            created_at: created_at.0,
            last_event_at: last_event_at.0,
            last_human_at: last_human_at.0,
            active_since: active_since.map(|at| at.0),
            active_before: active_before.0,
            parked: phase.parked().map(Into::into),
            end_reason: phase.end_reason().map(Word),
            usage: usage.into(),
            schemas: shapes(schemas),
            told: shapes(told),
            read: read.clone(),
            attached: shapes(attached),
            asks_slot: asks_slot.as_ref().map(Into::into),
            owes_round: *owes_round,
        }
    }
}

impl Facts {
    /// The facts, and why the session is parked, which belongs to its phase. Why it ended stands in the phase, too.
    pub(super) fn parts(self) -> (domain::SessionFacts, Option<domain::ParkedWhy>) {
        let facts = self;
        let parked = facts.parked.map(Into::into);
        let facts = domain::SessionFacts {
            id: SessionId::new(facts.id),
            workspace: WorkspaceKey::new(facts.workspace),
            kind: facts.kind.0,
            name: facts.name,
            require_validation: facts.require_validation,
            mode: facts.mode.map(|word| word.0),
            plan: facts.plan.map(Into::into),
            restriction: facts.restriction.into(),
            automation: facts.automation,
            scheduled_at: facts.scheduled_at.map(Timestamp),
            policy: facts.policy.into(),
            parent: facts.parent.map(CallId::new),
            agent: facts.agent.map(|agent| Box::new(agent.into())),
            children: domains(facts.children),
            below: facts.below.into(),
            provider: facts.provider,
            model: facts.model,
            dialect: facts.dialect.0,
            generation: facts.generation,
            prefix: facts.prefix.map(Into::into),
            sequence: facts.sequence,
            slot: facts.slot.into(),
            counters: facts.counters.into(),
            seen: domains(facts.seen),
            queue: domains(facts.queue),
            tasks: facts.tasks.into_iter().map(TaskId::new).collect(),
            overdue: facts.overdue.into_iter().map(TaskId::new).collect(),
            unsettled: facts.unsettled.into_iter().map(CallId::new).collect(),
            expired: facts.expired.into_iter().map(CallId::new).collect(),
            is_end_seen: facts.is_end_seen,
            exchange: facts.exchange,
            asked_by: facts.asked_by.into(),
            crashes: facts.crashes.into(),
            created_at: Timestamp(facts.created_at),
            last_event_at: Timestamp(facts.last_event_at),
            last_human_at: Timestamp(facts.last_human_at),
            active_since: facts.active_since.map(Timestamp),
            active_before: Millis(facts.active_before),
            usage: facts.usage.into(),
            schemas: domains(facts.schemas),
            told: domains(facts.told),
            read: facts.read,
            attached: domains(facts.attached),
            asks_slot: facts.asks_slot.map(Into::into),
            owes_round: facts.owes_round,
        };
        (facts, parked)
    }
}
