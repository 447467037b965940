//! The facts of a session beside its phase.

use entracte_domain::plan::PlanMode;
use entracte_domain::session::{self as domain, Dialect, EndReason, SessionKind};

use super::agent::{AgentV1, BelowV1, ChildV1};
use super::approval::{AskedByV1, PolicyGrantV1, PromptAuthorsV1};
use super::automation::RunPolicyV1;
use super::counters::{
    AttachmentV1, CountersV1, CrashesV1, FailedApprovalV1, ParkedV1, QueuedV1, SeenV1, SlotV1,
};
use super::is_default;
use super::leaf::{DueV1, HashV1, UsageV1};
use super::origin::ToldV1;
use super::plan::PlanV1;
use super::restriction::RestrictionV1;
use super::shape::shape;
use super::words::WordV1;

shape! {
    pub(super) struct FactsV1 = domain::SessionFacts {
        id: String,
        workspace: String,
        kind: WordV1<SessionKind>,
        #[serde(default, skip_serializing_if = "is_default")]
        name: String,
        #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
        require_validation: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<WordV1<PlanMode>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<PlanV1>,
        #[serde(default, rename = "commands", skip_serializing_if = "RestrictionV1::is_open")]
        restriction: RestrictionV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        automation: Option<String>,
        #[serde(default, rename = "scheduled", skip_serializing_if = "Option::is_none")]
        scheduled_at: Option<i64>,
        #[serde(default, skip_serializing_if = "is_default")]
        policy: RunPolicyV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentV1>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        children: Vec<ChildV1>,
        #[serde(default, skip_serializing_if = "is_default")]
        below: BelowV1,
        #[serde(default, skip_serializing_if = "is_default")]
        provider: String,
        #[serde(default, skip_serializing_if = "is_default")]
        model: String,
        dialect: WordV1<Dialect>,
        generation: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prefix: Option<HashV1>,
        sequence: u64,
        #[serde(default, skip_serializing_if = "is_default")]
        slot: SlotV1,
        #[serde(default, skip_serializing_if = "is_default")]
        counters: CountersV1,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        seen: Vec<SeenV1>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        queue: Vec<QueuedV1>,
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
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        failed: Vec<FailedApprovalV1>,
        #[serde(default, skip_serializing_if = "is_default")]
        exchange: u64,
        #[serde(default, skip_serializing_if = "is_default")]
        asked_by: AskedByV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt_authors: Option<PromptAuthorsV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grant: Option<PolicyGrantV1>,
        #[serde(default, skip_serializing_if = "is_default")]
        crashes: CrashesV1,
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
        /// Read from older versions only: the reason why the session is parked or ended, now part of the phase.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parked: Option<ParkedV1>,
        #[serde(default, rename = "end", skip_serializing_if = "Option::is_none")]
        end_reason: Option<WordV1<EndReason>>,
    }
    then {
        #[serde(default, skip_serializing_if = "is_default")]
        usage: UsageV1,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        schemas: Vec<HashV1>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        told: Vec<ToldV1>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        read: Vec<(String, u64)>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attached: Vec<AttachmentV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asks_slot: Option<DueV1>,
        #[serde(default, skip_serializing_if = "is_default")]
        owes_round: bool,
    }
}
