//! Shapes of automations and their occurrences.

use std::borrow::Cow;

use entracte_application::calendar::Calendar;
use entracte_application::journal::{AwaitedAct, Occurrence, OccurrenceOutcome};
use entracte_application::permissions::{current_grant, lacks_grant};
use entracte_application::settings::WorkspaceLocale;
use entracte_application::use_cases::{
    AutomationView, DamagedAutomation, OccurrenceView, SeedView, UpcomingOccurrences,
};
use entracte_domain::automation::{Automation, Trigger};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{iso, wire_words};
use crate::etag::EntityTag;

/// When an automation runs.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TriggerShape {
    /// By a cron expression on the clocks of a zone.
    Cron {
        /// The expression.
        expression: String,
        /// The zone.
        zone: String,
    },
    /// In equal spans.
    Every {
        /// The span.
        interval_ms: i64,
        /// From when they are counted.
        from: String,
    },
    /// Once.
    Once {
        /// When.
        at: String,
    },
    /// Only when somebody says so.
    Manual,
    /// When an event comes.
    Event,
}

impl From<&Trigger> for TriggerShape {
    fn from(trigger: &Trigger) -> Self {
        match trigger {
            Trigger::Cron { expression, zone } => {
                Self::Cron { expression: expression.clone(), zone: zone.clone() }
            }
            Trigger::Every { interval, anchor } => {
                Self::Every { interval_ms: interval.0, from: iso(*anchor) }
            }
            Trigger::Once { at } => Self::Once { at: iso(*at) },
            Trigger::Manual => Self::Manual,
            Trigger::Event => Self::Event,
        }
    }
}

/// How an automation is carried out.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PoliciesShape {
    /// How late a missed occurrence still runs; null: however late.
    pub catch_up_ms: Option<i64>,
    /// Of several that were missed only the latest runs.
    pub latest_only: bool,
    /// What happens when the run before still goes on.
    pub overlap: Cow<'static, str>,
    /// Limits of its runs.
    pub profile: Option<Cow<'static, str>>,
    /// What happens to an action that needs approval.
    pub unattended: Option<Cow<'static, str>>,
    /// Whether “completed” is taken at its word.
    pub completion: Option<Cow<'static, str>>,
    /// Whether a plan comes before actions.
    pub mode: Option<Cow<'static, str>>,
}

/// An automation.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AutomationShape {
    /// `aut_…`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// `on`, `off` or `needs_attention`.
    pub state: Cow<'static, str>,
    /// Whether it runs by itself.
    #[serde(default)]
    pub enabled: bool,
    /// What somebody has to look at.
    pub attention: Option<String>,
    /// When it runs.
    pub trigger: TriggerShape,
    /// How.
    pub policies: PoliciesShape,
    /// Grows with every change.
    pub version: u32,
    /// When it runs next.
    pub next_at: Option<String>,
    /// What became of its latest occurrence.
    pub last: Option<OccurrenceShape>,
    /// Who said that its actions are allowed unattended, for the message that it has now; none: what needs approval waits.
    pub allowed_by: Option<String>,
    /// When.
    pub allowed_at: Option<String>,
    /// Its policy allows actions unattended, but no person with the right to approve has granted that for its current message.
    #[serde(default)]
    pub needs_grant: bool,
    /// The session that holds its messages.
    pub seed: String,
    /// What its runs begin with; only of one that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begins: Option<SeedShape>,
    /// When it was made.
    pub created_at: String,
    /// When it was changed.
    pub updated_at: String,
}

/// A page of automations.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = Page_AutomationShape)]
pub struct AutomationPageShape {
    /// Its items.
    pub items: Vec<AutomationShape>,
    /// Where the next page begins: `?after=`; null after the last.
    pub next: Option<String>,
    /// The automations of the workspace that cannot be read and do not run; the same on every page.
    #[serde(default)]
    pub damaged: Vec<DamagedAutomationShape>,
}

/// An automation that cannot be read.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DamagedAutomationShape {
    /// `aut_…`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Why it cannot be read.
    pub why: String,
}

impl From<&DamagedAutomation> for DamagedAutomationShape {
    fn from(damaged: &DamagedAutomation) -> Self {
        let DamagedAutomation { id, name, why } = damaged;
        Self { id: id.to_string(), name: name.clone(), why: why.clone() }
    }
}

/// What runs begin with.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SeedShape {
    /// The message.
    pub message: String,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// `envelope` or `tools`.
    pub dialect: Cow<'static, str>,
    /// Every action needs an approval.
    pub require_validation: bool,
    /// The commands that runs may ask for; null: all.
    pub commands: Option<Vec<String>>,
}

impl From<&SeedView> for SeedShape {
    fn from(seed: &SeedView) -> Self {
        Self {
            message: seed.message.linear_text(),
            provider: seed.voice.provider.clone(),
            model: seed.voice.model.clone(),
            dialect: wire_words::dialect(seed.voice.dialect).into(),
            require_validation: seed.require_validation,
            commands: wire_words::patterns(&seed.restriction),
        }
    }
}

impl From<&AutomationView> for AutomationShape {
    fn from(view: &AutomationView) -> Self {
        let automation = &view.automation;
        let policies = &automation.policies;
        let allowed = current_grant(automation).filter(|grant| grant.allows);
        Self {
            id: automation.id.to_string(),
            name: automation.name.clone(),
            state: match (&automation.attention, automation.enabled) {
                (Some(_), _) => "needs_attention",
                (None, true) => "on",
                (None, false) => "off",
            }
            .into(),
            enabled: automation.enabled,
            attention: automation.attention.clone(),
            trigger: (&automation.trigger).into(),
            policies: PoliciesShape {
                catch_up_ms: policies.catch_up.window.map(|window| window.0),
                latest_only: policies.catch_up.latest_only,
                overlap: policies.overlap.word().into(),
                profile: policies.run.profile.map(|profile| wire_words::profile(profile).into()),
                unattended: policies.run.unattended.map(|policy| wire_words::unattended(policy).into()),
                completion: policies.run.completion.map(|check| wire_words::completion(check).into()),
                mode: policies.run.mode.map(|mode| mode.word().into()),
            },
            version: automation.version,
            next_at: automation.next_undecided_occurrence().map(iso),
            last: view.last.as_ref().map(OccurrenceShape::from),
            allowed_by: allowed.map(|grant| grant.author.clone()),
            allowed_at: allowed.map(|grant| iso(grant.at)),
            needs_grant: lacks_grant(automation),
            seed: automation.seed.to_string(),
            begins: None,
            created_at: iso(automation.created_at),
            updated_at: iso(automation.updated_at),
        }
    }
}

/// The tag of an automation: `r3`.
pub fn tag(automation: &Automation) -> EntityTag {
    EntityTag::new(format!("r{}-{}", automation.version, automation.updated_at.0))
}

/// What became of an occurrence.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct OccurrenceShape {
    /// The automation.
    pub automation: String,
    /// Its name; only in lists of all automations.
    #[serde(default)]
    pub name: Option<String>,
    /// The version of the automation that it was decided by.
    #[serde(default)]
    pub version: u32,
    /// The instant it stands for.
    pub at: String,
    /// What brought it.
    pub cause: Cow<'static, str>,
    /// `ran`, or why it was skipped.
    pub outcome: Cow<'static, str>,
    /// Its run.
    pub session: Option<String>,
    /// When it was decided.
    pub decided_at: String,
    /// How its run stands.
    pub standing: Option<Cow<'static, str>>,
    /// The phase of its run.
    #[serde(default)]
    pub phase: Option<Cow<'static, str>>,
    /// How its run ended.
    pub end_reason: Option<Cow<'static, str>>,
    /// The run because of which it was skipped; null for other outcomes, and where that is not known.
    #[serde(default)]
    pub blocked_by: Option<BlockingRunShape>,
}

/// The run because of which an occurrence was skipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BlockingRunShape {
    /// Its session.
    pub session: String,
    /// What it waits for now: `approval`, `question`, or `person` where somebody has to look at it; null where it works or
    /// has ended.
    pub waits_for: Option<Cow<'static, str>>,
}

impl From<&Occurrence> for OccurrenceShape {
    fn from(occurrence: &Occurrence) -> Self {
        let (outcome, session) = match &occurrence.outcome {
            OccurrenceOutcome::Run(session) => ("ran", Some(session.to_string())),
            OccurrenceOutcome::Skipped(why) => (why.word(), None),
        };
        Self {
            automation: occurrence.automation.to_string(),
            name: None,
            version: occurrence.version,
            at: iso(occurrence.at),
            cause: occurrence.cause.word().into(),
            outcome: outcome.into(),
            session,
            decided_at: iso(occurrence.decided_at),
            standing: None,
            phase: None,
            end_reason: None,
            blocked_by: occurrence
                .blocked_by
                .as_ref()
                .map(|run| BlockingRunShape { session: run.to_string(), waits_for: None }),
        }
    }
}

impl From<&OccurrenceView> for OccurrenceShape {
    fn from(past: &OccurrenceView) -> Self {
        let run = past.run.as_ref();
        let awaited = past.blocking.as_ref().and_then(|run| AwaitedAct::in_phase(&run.phase));
        let waits_for = awaited.map(|act| act.word().into());
        let plain = Self::from(&past.occurrence);
        Self {
            blocked_by: plain.blocked_by.clone().map(|run| BlockingRunShape { waits_for, ..run }),
            standing: run.map(|run| run.standing.word().into()),
            phase: run.map(|run| run.phase.label().word().into()),
            end_reason: run.and_then(|run| run.phase.end_reason()).map(|reason| reason.word().into()),
            ..plain
        }
    }
}

/// The instants that come.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ComingShape {
    /// The instants, the earliest first.
    pub instants: Vec<String>,
    /// The same on the clocks of the zone.
    #[serde(default)]
    pub local: Vec<String>,
    /// The zone of the trigger; that of the workspace, where the trigger has none.
    #[serde(default)]
    pub zone: String,
    /// Why there are no more.
    pub fault: Option<String>,
}

impl ComingShape {
    /// The shape of the instants of a trigger, in a workspace with this locale.
    pub fn new(trigger: &Trigger, coming: UpcomingOccurrences, locale: WorkspaceLocale) -> Self {
        let zone = match trigger {
            Trigger::Cron { zone, .. } => zone.clone(),
            Trigger::Every { .. } | Trigger::Once { .. } | Trigger::Manual | Trigger::Event => {
                locale.zone.clone()
            }
        };
        let calendar = Calendar::from_locale(&WorkspaceLocale { zone: zone.clone(), ..locale });
        Self {
            local: coming.instants.iter().map(|at| calendar.format_instant(*at)).collect(),
            instants: coming.instants.into_iter().map(iso).collect(),
            zone,
            fault: coming.fault.map(|fault| fault.to_string()),
        }
    }
}

/// A run that is begun by hand.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRun {
    /// What happened, for an automation that waits for events.
    pub event: Option<String>,
}
