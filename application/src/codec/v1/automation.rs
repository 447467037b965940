//! Automations, their occurrences, and what a run begins with.

use entracte_domain::automation::{
    self as domain, CatchUpPolicy, OverlapPolicy, RunCause, RunPolicy as DomainPolicy, SkipReason,
};
use entracte_domain::plan::PlanMode;
use entracte_domain::session::{self, CompletionCheck, LimitProfile, UnattendedPolicy};
use entracte_domain::time::Millis;
use serde::{Deserialize, Serialize};

use super::approval::AskedBy;
use super::is_default;
use super::lookup::RequestedCall;
use super::message::Segment;
use super::origin::Voice;
use super::restriction::Restriction;
use super::shape::{by_hand, shape};
use super::words::Word;
use crate::codec::version::V1;

shape! {
    pub(crate) struct Automation = domain::Automation, as V1 {
        id: String,
        name: String,
        seed: String,
        trigger: Trigger,
        #[serde(default, skip_serializing_if = "is_default")]
        policies: Policies,
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
        grant: Option<Grant>,
    }
}

shape! {
    struct Grant = domain::AutomationGrant {
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
    pub(super) enum Trigger = domain::Trigger {
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

by_hand!(Policies = domain::AutomationPolicies);

/// Every field is written, so that what was chosen stays when a default changes.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Policies {
    #[serde(default, rename = "window_ms", skip_serializing_if = "Option::is_none")]
    window: Option<i64>,
    latest_only: bool,
    overlap: Word<OverlapPolicy>,
    #[serde(default, skip_serializing_if = "is_default")]
    run: RunPolicy,
}

impl Default for Policies {
    fn default() -> Self {
        Self::from(&domain::AutomationPolicies::default())
    }
}

impl From<&domain::AutomationPolicies> for Policies {
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

impl From<Policies> for domain::AutomationPolicies {
    fn from(policies: Policies) -> Self {
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
    pub(super) struct RunPolicy = DomainPolicy {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        profile: Option<Word<LimitProfile>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unattended: Option<Word<UnattendedPolicy>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        completion: Option<Word<CompletionCheck>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<Word<PlanMode>>,
    }
}

shape! {
    /// What a run begins with.
    pub(super) struct RunStart = session::RunStart {
        cause: Word<RunCause>,
        version: u32,
        messages: Vec<(String, Vec<Segment>)>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        enrichments: Vec<RequestedCall>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        event: Option<String>,
        #[serde(default, skip_serializing_if = "is_default")]
        policy: RunPolicy,
        #[serde(default, skip_serializing_if = "is_default")]
        asked_by: AskedBy,
    }
}

shape! {
    pub(crate) struct Occurrence = crate::journal::Occurrence, as V1 {
        automation: String,
        at: i64,
        cause: Word<RunCause>,
        version: u32,
        #[serde(rename = "decided")]
        decided_at: i64,
        outcome: Outcome,
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum Outcome = crate::journal::Became {
        #[serde(rename = "ran")]
        Run(session: String),
        Skipped(why: Word<SkipReason>),
    }
}

shape! {
    /// In mail.
    pub(super) struct NewAutomation = crate::mail::NewAutomation {
        id: String,
        name: String,
        trigger: Trigger,
        policies: Policies,
        enabled: bool,
        seed: NewSeed,
    }
}

shape! {
    pub(super) struct NewSeed = crate::mail::NewSeed {
        id: String,
        message: Vec<Segment>,
        voice: Voice,
        #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
        require_validation: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        #[serde(rename = "gate")]
        restriction: Restriction,
    }
}

shape! {
    pub(super) struct AutomationChange = crate::mail::AutomationChange {
        #[serde(default, skip_serializing_if = "is_default")]
        grants: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trigger: Option<Trigger>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        policies: Option<Policies>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        enabled: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seed: Option<NewSeed>,
    }
}
