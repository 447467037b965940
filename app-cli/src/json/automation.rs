use entracte_application::calendar::Calendar;
use entracte_application::journal::{Occurrence, OccurrenceOutcome};
use entracte_application::permissions::current_grant;
use entracte_application::use_cases::{
    AcceptedRequest, AutomationList, AutomationView, DamagedAutomation, OccurrenceView, QueuePosition,
    SeedView, UpcomingOccurrences,
};
use entracte_domain::automation::{Automation, Trigger};
use entracte_domain::id::AutomationId;
use entracte_domain::plan::PlanMode;
use entracte_domain::session::{CompletionCheck, LimitProfile, UnattendedPolicy};
use entracte_domain::workspace::ActivationResult;
use serde::Serialize;

use crate::config::written;
use crate::render::automation::state_word;
use crate::render::time::iso;
use entracte_adapters_http::shapes::session::QueueShape;

/// `entracte.automations/1`: automations, those that need attention first.
#[derive(Serialize)]
pub(crate) struct AutomationsObject {
    schema: &'static str,
    automations: Vec<AutomationObject>,
    /// Automations whose rows cannot be read.
    damaged: Vec<DamagedAutomationObject>,
}

#[derive(Serialize)]
struct DamagedAutomationObject {
    id: String,
    name: String,
    why: String,
}

/// `entracte.automation/1`: one automation.
#[derive(Serialize)]
pub(crate) struct AutomationObject {
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<&'static str>,
    id: String,
    name: String,
    /// `on`, `off` or `needs_attention`.
    state: &'static str,
    enabled: bool,
    attention: Option<String>,
    trigger: TriggerObject,
    policies: AutomationPoliciesObject,
    version: u32,
    next_at: Option<String>,
    last: Option<OccurrenceObject>,
    created_at: String,
    updated_at: String,
    /// The person who allowed its actions unattended, for its current message; null: no permission.
    allowed_by: Option<String>,
    /// The time of that permission.
    allowed_at: Option<String>,
    seed: String,
    /// The seed of its runs; not in lists.
    #[serde(flatten)]
    begins: Option<AutomationSeedObject>,
}

#[derive(Serialize)]
struct AutomationSeedObject {
    message: String,
    provider: String,
    model: String,
    dialect: &'static str,
    require_validation: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum TriggerObject {
    Cron { expression: String, zone: String },
    Every { interval: String, interval_ms: i64, from: String },
    Once { at: String },
    Manual,
    Event,
}

#[derive(Serialize)]
struct AutomationPoliciesObject {
    /// In milliseconds; null: unlimited.
    catch_up_ms: Option<i64>,
    latest_only: bool,
    overlap: &'static str,
    /// Null: the workspace's profile.
    profile: Option<&'static str>,
    /// Null: the configured policy.
    unattended: Option<&'static str>,
    /// Null: the configured policy.
    completion: Option<&'static str>,
    /// Null: the workspace's mode.
    mode: Option<&'static str>,
}

#[derive(Serialize)]
struct OccurrenceObject {
    at: String,
    cause: &'static str,
    version: u32,
    decided_at: String,
    /// `ran`, or the reason why it was skipped.
    outcome: &'static str,
    session: Option<String>,
}

impl AutomationsObject {
    /// An object of the automations.
    pub(crate) fn new(list: &AutomationList) -> Self {
        let automations = list.views.iter().map(AutomationObject::in_list).collect();
        let damaged = |one: &DamagedAutomation| DamagedAutomationObject {
            id: one.id.to_string(),
            name: one.name.clone(),
            why: one.why.clone(),
        };
        let damaged = list.damaged.iter().map(damaged).collect();
        Self { schema: "entracte.automations/1", automations, damaged }
    }
}

impl AutomationObject {
    /// A single automation with its seed.
    pub(crate) fn single(view: &AutomationView, seed: &SeedView) -> Self {
        let begins = AutomationSeedObject {
            message: seed.message.linear_text(),
            provider: seed.voice.provider.clone(),
            model: seed.voice.model.clone(),
            dialect: seed.voice.dialect.word(),
            require_validation: seed.require_validation,
        };
        Self { schema: Some("entracte.automation/1"), begins: Some(begins), ..Self::in_list(view) }
    }

    fn in_list(view: &AutomationView) -> Self {
        let automation = &view.automation;
        let policies = &automation.policies;
        let allowed = current_grant(automation).filter(|grant| grant.allows);
        Self {
            schema: None,
            id: automation.id.to_string(),
            name: automation.name.clone(),
            state: state_word(automation),
            enabled: automation.enabled,
            attention: automation.attention.clone(),
            trigger: TriggerObject::from(&automation.trigger),
            policies: AutomationPoliciesObject {
                catch_up_ms: policies.catch_up.window.map(|window| window.0),
                latest_only: policies.catch_up.latest_only,
                overlap: policies.overlap.word(),
                profile: policies.run.profile.map(LimitProfile::word),
                unattended: policies.run.unattended.map(UnattendedPolicy::word),
                completion: policies.run.completion.map(CompletionCheck::word),
                mode: policies.run.mode.map(PlanMode::word),
            },
            version: automation.version,
            next_at: automation.next_undecided_occurrence().map(iso),
            last: view.last.as_ref().map(OccurrenceObject::from),
            created_at: iso(automation.created_at),
            updated_at: iso(automation.updated_at),
            allowed_by: allowed.map(|grant| grant.author.clone()),
            allowed_at: allowed.map(|grant| iso(grant.at)),
            seed: automation.seed.to_string(),
            begins: None,
        }
    }
}

impl From<&Trigger> for TriggerObject {
    fn from(trigger: &Trigger) -> Self {
        match trigger {
            Trigger::Cron { expression, zone } => {
                Self::Cron { expression: expression.clone(), zone: zone.clone() }
            }
            Trigger::Every { interval, anchor } => {
                Self::Every { interval: written(*interval), interval_ms: interval.0, from: iso(*anchor) }
            }
            Trigger::Once { at } => Self::Once { at: iso(*at) },
            Trigger::Manual => Self::Manual,
            Trigger::Event => Self::Event,
        }
    }
}

impl From<&Occurrence> for OccurrenceObject {
    fn from(occurrence: &Occurrence) -> Self {
        let (outcome, session) = match &occurrence.outcome {
            OccurrenceOutcome::Run(session) => ("ran", Some(session.to_string())),
            OccurrenceOutcome::Skipped(why) => (why.word(), None),
        };
        Self {
            at: iso(occurrence.at),
            cause: occurrence.cause.word(),
            version: occurrence.version,
            decided_at: iso(occurrence.decided_at),
            outcome,
            session,
        }
    }
}

/// `entracte.history/1`: the results of the occurrences of one automation or all, latest first.
#[derive(Serialize)]
pub(crate) struct AutomationHistoryObject {
    schema: &'static str,
    /// Null if it is about all automations.
    automation: Option<String>,
    occurrences: Vec<PastOccurrenceObject>,
}

#[derive(Serialize)]
struct PastOccurrenceObject {
    automation: String,
    #[serde(flatten)]
    occurrence: OccurrenceObject,
    /// The standing of the run; null if it no longer exists.
    standing: Option<&'static str>,
    phase: Option<&'static str>,
    end_reason: Option<&'static str>,
}

impl AutomationHistoryObject {
    /// An object of the occurrences.
    pub(crate) fn new(automation: Option<&AutomationId>, past: &[OccurrenceView]) -> Self {
        let shape = |past: &OccurrenceView| PastOccurrenceObject {
            automation: past.occurrence.automation.to_string(),
            occurrence: OccurrenceObject::from(&past.occurrence),
            standing: past.run.as_ref().map(|run| run.standing.word()),
            phase: past.run.as_ref().map(|run| run.phase.label().word()),
            end_reason: past.run.as_ref().and_then(|run| run.phase.end_reason()).map(|reason| reason.word()),
        };
        Self {
            schema: "entracte.history/1",
            automation: automation.map(ToString::to_string),
            occurrences: past.iter().map(shape).collect(),
        }
    }
}

/// `entracte.next/1`: the coming instants of an automation.
#[derive(Serialize)]
pub(crate) struct NextOccurrencesObject {
    schema: &'static str,
    automation: String,
    enabled: bool,
    zone: String,
    instants: Vec<OccurrenceInstantObject>,
    /// Why the next instant cannot be computed; null if it can.
    fault: Option<String>,
}

#[derive(Serialize)]
struct OccurrenceInstantObject {
    at: String,
    local: String,
}

impl NextOccurrencesObject {
    /// The instants in this time zone.
    pub(crate) fn new(
        automation: &Automation,
        zone: &str,
        coming: &UpcomingOccurrences,
        calendar: &Calendar,
    ) -> Self {
        let instants = coming.instants.iter();
        Self {
            schema: "entracte.next/1",
            automation: automation.id.to_string(),
            enabled: automation.enabled,
            zone: zone.to_owned(),
            instants: instants
                .map(|at| OccurrenceInstantObject { at: iso(*at), local: calendar.format_instant(*at) })
                .collect(),
            fault: coming.fault.as_ref().map(ToString::to_string),
        }
    }
}

/// `entracte.run/1`: a requested run.
#[derive(Serialize)]
pub(crate) struct RunStartObject {
    schema: &'static str,
    automation: String,
    session: String,
    activation: Option<&'static str>,
    position: Option<u32>,
    /// Its position in the slot queue; null if it does not wait.
    slot: Option<QueueShape>,
}

impl RunStartObject {
    /// The result of the request.
    pub(crate) fn new(
        automation: &AutomationId,
        run: &AcceptedRequest,
        place: Option<&QueuePosition>,
    ) -> Self {
        Self {
            schema: "entracte.run/1",
            automation: automation.to_string(),
            session: run.session.to_string(),
            slot: place.map(QueueShape::from),
            activation: run.activation.map(ActivationResult::word),
            position: match run.activation {
                Some(ActivationResult::Queued { position }) => Some(position),
                Some(ActivationResult::Activated | ActivationResult::AlreadyActive) | None => None,
            },
        }
    }
}
