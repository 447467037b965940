//! What is known of a session beside its phase.

use entracte_domain::plan::PlanMode;
use entracte_domain::session::{self as domain, Dialect, EndReason, SessionKind};

use super::agent::{Agent, Below, Child};
use super::approval::{AskedBy, PolicyGrant, PromptAuthors};
use super::automation::RunPolicy;
use super::counters::{Attachment, Counters, Crashes, Parked, Queued, Seen, Slot};
use super::is_default;
use super::leaf::{Due, Hash, Usage};
use super::origin::Told;
use super::plan::Plan;
use super::restriction::Restriction;
use super::shape::shape;
use super::words::Word;

shape! {
    pub(super) struct Facts = domain::SessionFacts {
        id: String,
        workspace: String,
        kind: Word<SessionKind>,
        #[serde(default, skip_serializing_if = "is_default")]
        name: String,
        #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
        require_validation: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<Word<PlanMode>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<Plan>,
        #[serde(default, rename = "commands", skip_serializing_if = "Restriction::is_open")]
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
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt_authors: Option<PromptAuthors>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grant: Option<PolicyGrant>,
        #[serde(default, skip_serializing_if = "is_default")]
        crashes: Crashes,
        #[serde(rename = "created")]
        created_at: i64,
        #[serde(rename = "last_event")]
        last_event_at: i64,
        #[serde(rename = "last_human")]
        last_human_at: i64,
        #[serde(default, skip_serializing_if = "is_default")]
        acted: u64,
        #[serde(default, skip_serializing_if = "is_default")]
        lined_up: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        active_since: Option<i64>,
        #[serde(default, rename = "active_before_ms", skip_serializing_if = "is_default")]
        active_before: i64,
    }
    beside {
        /// What older versions kept with the facts, and the phase says now: why it is parked, why it ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parked: Option<Parked>,
        #[serde(default, rename = "end", skip_serializing_if = "Option::is_none")]
        end_reason: Option<Word<EndReason>>,
    }
    then {
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
}
