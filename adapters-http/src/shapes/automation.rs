//! Shapes of automations and their occurrences.

use entracte_application::journal::{Occurrence, OccurrenceOutcome};
use entracte_application::permissions::current_grant;
use entracte_application::use_cases::{AutomationView, OccurrenceView, SeedView};
use entracte_domain::automation::{Automation, Trigger};
use entracte_domain::plan::PlanMode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{iso, wire_words};
use crate::etag::EntityTag;

/// When an automation runs.
#[derive(Clone, Debug, Serialize, ToSchema)]
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
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PoliciesShape {
    /// How late a missed occurrence still runs; null: however late.
    pub catch_up_ms: Option<i64>,
    /// Of several that were missed only the latest runs.
    pub latest_only: bool,
    /// What happens when the run before still goes on.
    pub overlap: &'static str,
    /// Limits of its runs.
    pub profile: Option<&'static str>,
    /// What happens to an action that needs approval.
    pub unattended: Option<&'static str>,
    /// Whether “completed” is taken at its word.
    pub completion: Option<&'static str>,
    /// Whether a plan comes before actions.
    pub mode: Option<&'static str>,
}

/// An automation.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AutomationShape {
    /// `aut_…`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// `on`, `off` or `needs_attention`.
    pub state: &'static str,
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

/// What runs begin with.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SeedShape {
    /// The message.
    pub message: String,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// `envelope` or `tools`.
    pub dialect: &'static str,
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
            dialect: wire_words::dialect(seed.voice.dialect),
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
            },
            attention: automation.attention.clone(),
            trigger: (&automation.trigger).into(),
            policies: PoliciesShape {
                catch_up_ms: policies.catch_up.window.map(|window| window.0),
                latest_only: policies.catch_up.latest_only,
                overlap: policies.overlap.word(),
                profile: policies.run.profile.map(wire_words::profile),
                unattended: policies.run.unattended.map(wire_words::unattended),
                completion: policies.run.completion.map(wire_words::completion),
                mode: policies.run.mode.map(PlanMode::word),
            },
            version: automation.version,
            next_at: automation.next_undecided_occurrence().map(iso),
            last: view.last.as_ref().map(OccurrenceShape::from),
            allowed_by: allowed.map(|grant| grant.author.clone()),
            allowed_at: allowed.map(|grant| iso(grant.at)),
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
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OccurrenceShape {
    /// The automation.
    pub automation: String,
    /// The instant it stands for.
    pub at: String,
    /// What brought it.
    pub cause: &'static str,
    /// `ran`, or why it was skipped.
    pub outcome: &'static str,
    /// Its run.
    pub session: Option<String>,
    /// When it was decided.
    pub decided_at: String,
    /// How its run stands.
    pub standing: Option<&'static str>,
    /// How its run ended.
    pub end_reason: Option<&'static str>,
}

impl From<&Occurrence> for OccurrenceShape {
    fn from(occurrence: &Occurrence) -> Self {
        let (outcome, session) = match &occurrence.outcome {
            OccurrenceOutcome::Run(session) => ("ran", Some(session.to_string())),
            OccurrenceOutcome::Skipped(why) => (why.word(), None),
        };
        Self {
            automation: occurrence.automation.to_string(),
            at: iso(occurrence.at),
            cause: occurrence.cause.word(),
            outcome,
            session,
            decided_at: iso(occurrence.decided_at),
            standing: None,
            end_reason: None,
        }
    }
}

impl From<&OccurrenceView> for OccurrenceShape {
    fn from(past: &OccurrenceView) -> Self {
        let run = past.run.as_ref();
        Self {
            standing: run.map(|run| run.standing.word()),
            end_reason: run.and_then(|run| run.phase.end_reason()).map(|reason| reason.word()),
            ..Self::from(&past.occurrence)
        }
    }
}

/// The instants that come.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ComingShape {
    /// The instants, the earliest first.
    pub instants: Vec<String>,
    /// Why there are no more.
    pub fault: Option<String>,
}

/// A run that is begun by hand.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRun {
    /// What happened, for an automation that waits for events.
    pub event: Option<String>,
}
