//! Automations, their occurrences, and the start of a run.

use entracte_domain::automation::{
    self as domain, CatchUpPolicy, OverlapPolicy, RunCause, RunPolicy as DomainPolicy, SkipReason,
};
use entracte_domain::plan::PlanMode;
use entracte_domain::session::{self, CompletionCheck, LimitProfile, UnattendedPolicy};
use entracte_domain::time::Millis;
use serde::{Deserialize, Serialize};

use super::approval::AskedByV1;
use super::is_default;
use super::lookup::RequestedCallV1;
use super::message::SegmentV1;
use super::origin::VoiceV1;
use super::restriction::RestrictionV1;
use super::shape::{by_hand, shape};
use super::words::WordV1;
use crate::codec::format_version::FormatVersion1;

shape! {
    pub(crate) struct AutomationV1 = domain::Automation, as FormatVersion1 {
        id: String,
        name: String,
        seed: String,
        trigger: TriggerV1,
        #[serde(default, skip_serializing_if = "is_default")]
        policies: PoliciesV1,
        enabled: bool,
        version: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attention: Option<String>,
        #[serde(default, rename = "next", skip_serializing_if = "Option::is_none")]
        next_at: Option<i64>,
        #[serde(rename = "created")]
        created_at: i64,
        #[serde(rename = "updated")]
        updated_at: i64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grant: Option<GrantV1>,
    }
}

shape! {
    struct GrantV1 = domain::AutomationGrant {
        author: String,
        at: i64,
        seed: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        instructions: Vec<(String, u64)>,
        #[serde(default, skip_serializing_if = "is_default")]
        allows: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        frees: bool,
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum TriggerV1 = domain::Trigger {
        Cron { expression: String, zone: String },
        Every {
            #[serde(rename = "interval_ms")]
            interval: i64,
            anchor: i64,
        },
        Once { at: i64 },
        Manual,
        Event,
    }
}

by_hand!(PoliciesV1 = domain::AutomationPolicies);

/// Every field is written, so that a chosen value stays when a default changes.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PoliciesV1 {
    #[serde(default, rename = "window_ms", skip_serializing_if = "Option::is_none")]
    window: Option<i64>,
    latest_only: bool,
    overlap: WordV1<OverlapPolicy>,
    #[serde(default, skip_serializing_if = "is_default")]
    run: RunPolicyV1,
}

impl Default for PoliciesV1 {
    fn default() -> Self {
        Self::from(&domain::AutomationPolicies::default())
    }
}

impl From<&domain::AutomationPolicies> for PoliciesV1 {
    fn from(policies: &domain::AutomationPolicies) -> Self {
        let domain::AutomationPolicies { catch_up: CatchUpPolicy { window, latest_only }, overlap, run } =
            policies;
        Self {
            window: window.map(|span| span.0),
            latest_only: *latest_only,
            overlap: overlap.into(),
            run: run.into(),
        }
    }
}

impl From<PoliciesV1> for domain::AutomationPolicies {
    fn from(policies: PoliciesV1) -> Self {
        Self {
            catch_up: CatchUpPolicy {
                window: policies.window.map(Millis),
                latest_only: policies.latest_only,
            },
            overlap: policies.overlap.0,
            run: policies.run.into(),
        }
    }
}

shape! {
    #[derive(Default, PartialEq)]
    pub(super) struct RunPolicyV1 = DomainPolicy {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        profile: Option<WordV1<LimitProfile>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unattended: Option<WordV1<UnattendedPolicy>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        completion: Option<WordV1<CompletionCheck>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<WordV1<PlanMode>>,
    }
}

shape! {
    /// The values a run is started with.
    pub(super) struct RunStartV1 = session::RunStart {
        cause: WordV1<RunCause>,
        version: u32,
        messages: Vec<(String, Vec<SegmentV1>)>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        enrichments: Vec<RequestedCallV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        event: Option<String>,
        #[serde(default, skip_serializing_if = "is_default")]
        policy: RunPolicyV1,
        #[serde(default, skip_serializing_if = "is_default")]
        asked_by: AskedByV1,
    }
}

shape! {
    pub(crate) struct OccurrenceV1 = crate::journal::Occurrence, as FormatVersion1 {
        automation: String,
        at: i64,
        cause: WordV1<RunCause>,
        version: u32,
        #[serde(rename = "decided")]
        decided_at: i64,
        outcome: OutcomeV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blocked_by: Option<String>,
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum OutcomeV1 = crate::journal::OccurrenceOutcome {
        #[serde(rename = "ran")]
        Run(session: String),
        Skipped(why: WordV1<SkipReason>),
    }
}

shape! {
    /// The form in mail.
    pub(super) struct NewAutomationV1 = crate::mail::NewAutomationRequest {
        id: String,
        name: String,
        trigger: TriggerV1,
        policies: PoliciesV1,
        enabled: bool,
        seed: NewSeedV1,
    }
}

shape! {
    pub(super) struct NewSeedV1 = crate::mail::NewSeedRequest {
        id: String,
        message: Vec<SegmentV1>,
        voice: VoiceV1,
        #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
        require_validation: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        #[serde(rename = "gate")]
        restriction: RestrictionV1,
    }
}

shape! {
    pub(super) struct AutomationChangeV1 = crate::mail::AutomationChangeRequest {
        #[serde(default, skip_serializing_if = "is_default")]
        grants: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trigger: Option<TriggerV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        policies: Option<PoliciesV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        enabled: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seed: Option<NewSeedV1>,
    }
}
