//! Automations, their occurrences, and what a run begins with.

use entracte_domain::automation::{self as domain, CatchUp, Cause, Overlap, RunPolicy as DomainPolicy, Skip};
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::message::UserMessage;
use entracte_domain::plan::Mode;
use entracte_domain::session::{self, CompletionCheck, Profile, Unattended};
use entracte_domain::time::{Millis, Timestamp};
use serde::{Deserialize, Serialize};

use super::approval::AskedBy;
use super::lookup::RequestedCall;
use super::message::Segment;
use super::origin::Voice;
use super::restriction::Restriction;
use super::words::Word;
use super::{domains, is_default, shapes};
use crate::codec::version::V1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Automation {
    v: V1,
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
}

impl From<&domain::Automation> for Automation {
    fn from(automation: &domain::Automation) -> Self {
        let domain::Automation {
            id,
            name,
            seed,
            trigger,
            policies,
            enabled,
            version,
            attention,
            next_at,
            created_at,
            updated_at,
        } = automation;
        Self {
            v: V1,
            id: id.as_str().to_owned(),
            name: name.clone(),
            seed: seed.as_str().to_owned(),
            trigger: trigger.into(),
            policies: policies.into(),
            enabled: *enabled,
            version: *version,
            attention: attention.clone(),
            next_at: next_at.map(|at| at.0),
            created_at: created_at.0,
            updated_at: updated_at.0,
        }
    }
}

impl From<Automation> for domain::Automation {
    fn from(stored: Automation) -> Self {
        Self {
            id: AutomationId::new(stored.id),
            name: stored.name,
            seed: SessionId::new(stored.seed),
            trigger: stored.trigger.into(),
            policies: stored.policies.into(),
            enabled: stored.enabled,
            version: stored.version,
            attention: stored.attention,
            next_at: stored.next_at.map(Timestamp),
            created_at: Timestamp(stored.created_at),
            updated_at: Timestamp(stored.updated_at),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Trigger {
    Cron { expression: String, zone: String },
    Every { interval_ms: i64, anchor: i64 },
    Once { at: i64 },
    Manual,
    Event,
}

impl From<&domain::Trigger> for Trigger {
    fn from(trigger: &domain::Trigger) -> Self {
        match trigger.clone() {
            domain::Trigger::Cron { expression, zone } => Self::Cron { expression, zone },
            domain::Trigger::Every { interval, anchor } => {
                Self::Every { interval_ms: interval.0, anchor: anchor.0 }
            }
            domain::Trigger::Once { at } => Self::Once { at: at.0 },
            domain::Trigger::Manual => Self::Manual,
            domain::Trigger::Event => Self::Event,
        }
    }
}

impl From<Trigger> for domain::Trigger {
    fn from(trigger: Trigger) -> Self {
        match trigger {
            Trigger::Cron { expression, zone } => Self::Cron { expression, zone },
            Trigger::Every { interval_ms, anchor } => {
                Self::Every { interval: Millis(interval_ms), anchor: Timestamp(anchor) }
            }
            Trigger::Once { at } => Self::Once { at: Timestamp(at) },
            Trigger::Manual => Self::Manual,
            Trigger::Event => Self::Event,
        }
    }
}

/// Every field is written, so that what was chosen stays when a default changes.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Policies {
    #[serde(default, rename = "window_ms", skip_serializing_if = "Option::is_none")]
    window: Option<i64>,
    latest_only: bool,
    overlap: Word<Overlap>,
    #[serde(default, skip_serializing_if = "is_default")]
    run: RunPolicy,
}

impl Default for Policies {
    fn default() -> Self {
        Self::from(&domain::Policies::default())
    }
}

impl From<&domain::Policies> for Policies {
    fn from(policies: &domain::Policies) -> Self {
        let domain::Policies { catch_up: CatchUp { window, latest_only }, overlap, run } = policies;
        Self {
            window: window.map(|span| span.0),
            latest_only: *latest_only,
            overlap: overlap.into(),
            run: run.into(),
        }
    }
}

impl From<Policies> for domain::Policies {
    fn from(policies: Policies) -> Self {
        Self {
            catch_up: CatchUp { window: policies.window.map(Millis), latest_only: policies.latest_only },
            overlap: policies.overlap.0,
            run: policies.run.into(),
        }
    }
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunPolicy {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    profile: Option<Word<Profile>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unattended: Option<Word<Unattended>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    completion: Option<Word<CompletionCheck>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<Word<Mode>>,
}

impl From<&DomainPolicy> for RunPolicy {
    fn from(policy: &DomainPolicy) -> Self {
        let DomainPolicy { profile, unattended, completion, mode } = policy;
        Self {
            profile: profile.map(Word),
            unattended: unattended.map(Word),
            completion: completion.map(Word),
            mode: mode.map(Word),
        }
    }
}

impl From<RunPolicy> for DomainPolicy {
    fn from(policy: RunPolicy) -> Self {
        Self {
            profile: policy.profile.map(|word| word.0),
            unattended: policy.unattended.map(|word| word.0),
            completion: policy.completion.map(|word| word.0),
            mode: policy.mode.map(|word| word.0),
        }
    }
}

/// What a run begins with.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunStart {
    cause: Word<Cause>,
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

impl From<&session::RunStart> for RunStart {
    fn from(run: &session::RunStart) -> Self {
        let session::RunStart { cause, version, messages, enrichments, event, policy, asked_by } = run;
        let message = |(author, message): &(String, UserMessage)| (author.clone(), shapes(&message.segments));
        Self {
            cause: cause.into(),
            version: *version,
            messages: messages.iter().map(message).collect(),
            enrichments: shapes(enrichments),
            event: event.clone(),
            policy: policy.into(),
            asked_by: asked_by.into(),
        }
    }
}

impl From<RunStart> for session::RunStart {
    fn from(run: RunStart) -> Self {
        let message = |(author, segments)| (author, UserMessage { segments: domains(segments) });
        Self {
            cause: run.cause.0,
            version: run.version,
            messages: run.messages.into_iter().map(message).collect(),
            enrichments: domains(run.enrichments),
            event: run.event,
            policy: run.policy.into(),
            asked_by: run.asked_by.into(),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Occurrence {
    v: V1,
    automation: String,
    at: i64,
    cause: Word<Cause>,
    version: u32,
    decided: i64,
    outcome: Outcome,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Outcome {
    Ran(String),
    Skipped(Word<Skip>),
}

impl From<&crate::journal::Occurrence> for Occurrence {
    fn from(occurrence: &crate::journal::Occurrence) -> Self {
        let crate::journal::Occurrence { automation, at, cause, version, decided_at, outcome } = occurrence;
        Self {
            v: V1,
            automation: automation.as_str().to_owned(),
            at: at.0,
            cause: cause.into(),
            version: *version,
            decided: decided_at.0,
            outcome: match outcome {
                crate::journal::Became::Run(session) => Outcome::Ran(session.as_str().to_owned()),
                crate::journal::Became::Skipped(why) => Outcome::Skipped(why.into()),
            },
        }
    }
}

impl From<Occurrence> for crate::journal::Occurrence {
    fn from(stored: Occurrence) -> Self {
        Self {
            automation: AutomationId::new(stored.automation),
            at: Timestamp(stored.at),
            cause: stored.cause.0,
            version: stored.version,
            decided_at: Timestamp(stored.decided),
            outcome: match stored.outcome {
                Outcome::Ran(session) => crate::journal::Became::Run(SessionId::new(session)),
                Outcome::Skipped(why) => crate::journal::Became::Skipped(why.0),
            },
        }
    }
}

/// In mail.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewAutomation {
    id: String,
    name: String,
    trigger: Trigger,
    policies: Policies,
    enabled: bool,
    seed: NewSeed,
}

impl From<&crate::mail::NewAutomation> for NewAutomation {
    fn from(new: &crate::mail::NewAutomation) -> Self {
        let crate::mail::NewAutomation { id, name, trigger, policies, enabled, seed } = new;
        Self {
            id: id.as_str().to_owned(),
            name: name.clone(),
            trigger: trigger.into(),
            policies: policies.into(),
            enabled: *enabled,
            seed: seed.into(),
        }
    }
}

impl From<NewAutomation> for crate::mail::NewAutomation {
    fn from(new: NewAutomation) -> Self {
        Self {
            id: AutomationId::new(new.id),
            name: new.name,
            trigger: new.trigger.into(),
            policies: new.policies.into(),
            enabled: new.enabled,
            seed: new.seed.into(),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewSeed {
    id: String,
    message: Vec<Segment>,
    voice: Voice,
    #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
    require_validation: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    #[serde(rename = "gate")]
    restriction: Restriction,
}

impl From<&crate::mail::NewSeed> for NewSeed {
    fn from(seed: &crate::mail::NewSeed) -> Self {
        let crate::mail::NewSeed { id, message, voice, require_validation, restriction } = seed;
        Self {
            id: id.as_str().to_owned(),
            message: shapes(&message.segments),
            voice: voice.into(),
            require_validation: *require_validation,
            restriction: restriction.into(),
        }
    }
}

impl From<NewSeed> for crate::mail::NewSeed {
    fn from(seed: NewSeed) -> Self {
        Self {
            id: SessionId::new(seed.id),
            message: UserMessage { segments: domains(seed.message) },
            voice: seed.voice.into(),
            require_validation: seed.require_validation,
            restriction: seed.restriction.into(),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AutomationChange {
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

impl From<&crate::mail::AutomationChange> for AutomationChange {
    fn from(change: &crate::mail::AutomationChange) -> Self {
        let crate::mail::AutomationChange { name, trigger, policies, enabled, seed } = change;
        Self {
            name: name.clone(),
            trigger: trigger.as_ref().map(Into::into),
            policies: policies.as_ref().map(Into::into),
            enabled: *enabled,
            seed: seed.as_ref().map(Into::into),
        }
    }
}

impl From<AutomationChange> for crate::mail::AutomationChange {
    fn from(change: AutomationChange) -> Self {
        Self {
            name: change.name,
            trigger: change.trigger.map(Into::into),
            policies: change.policies.map(Into::into),
            enabled: change.enabled,
            seed: change.seed.map(Into::into),
        }
    }
}
