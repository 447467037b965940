//! Request bodies to create and change automations.

use entracte_application::json_value::ExactJson;
use entracte_application::texts::saying;
use entracte_application::use_cases::PolicyUpdate;
use entracte_domain::automation::{OverlapPolicy, Trigger};
use entracte_domain::plan::PlanMode;
use entracte_domain::session::{CompletionCheck, LimitProfile, UnattendedPolicy};
use entracte_domain::time::{Millis, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{deserialize_nullable, instant};
use crate::problem::Problem;

/// When an automation shall run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum NewTriggerShape {
    /// By a cron expression on the clocks of a zone.
    Cron {
        /// The expression.
        expression: String,
        /// The zone; none: that of the workspace.
        zone: Option<String>,
    },
    /// In equal spans.
    Every {
        /// The span, in milliseconds.
        interval_ms: i64,
        /// From when they are counted, as RFC 3339; none: one span from now.
        from: Option<String>,
    },
    /// Once.
    Once {
        /// When, as RFC 3339.
        at: String,
    },
    /// Only when somebody says so.
    Manual,
    /// When an event comes.
    Event,
}

impl NewTriggerShape {
    /// The trigger; `zone` is the workspace's time zone.
    ///
    /// # Errors
    /// If an instant cannot be parsed.
    pub fn read(self, zone: String, now: Timestamp) -> Result<Trigger, Problem> {
        Ok(match self {
            Self::Cron { expression, zone: own } => {
                Trigger::Cron { expression: expression.trim().to_owned(), zone: own.unwrap_or(zone) }
            }
            Self::Every { interval_ms, from } => {
                let interval = Millis(interval_ms);
                let anchor = match from {
                    Some(text) => parse_instant("trigger.from", &text)?,
                    // Whole seconds are easier to read in lists.
                    None => Timestamp(now.0 - now.0.rem_euclid(1_000_000)).plus(interval),
                };
                Trigger::Every { interval, anchor }
            }
            Self::Once { at: text } => Trigger::Once { at: parse_instant("trigger.at", &text)? },
            Self::Manual => Trigger::Manual,
            Self::Event => Trigger::Event,
        })
    }
}

fn parse_instant(field: &str, text: &str) -> Result<Timestamp, Problem> {
    instant(text).ok_or_else(|| Problem::invalid_field(field, saying!("refusal-instant")))
}

/// How an automation is carried out; what is left out stays, or is the default of a new one. Null: as the workspace says; of
/// `catch_up_ms`: however late.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PoliciesEditShape {
    /// How late a missed occurrence still runs, in milliseconds.
    #[serde(default, deserialize_with = "deserialize_nullable", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    pub catch_up_ms: Option<Option<i64>>,
    /// Of several that were missed only the latest runs.
    pub latest_only: Option<bool>,
    /// What happens when the run before still goes on: `skip` or `queue`.
    pub overlap: Option<String>,
    /// Limits of its runs: `autonomous` or `strict`.
    #[serde(default, deserialize_with = "deserialize_nullable", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub profile: Option<Option<String>>,
    /// What happens to an action that needs approval: `park`, `refuse` or `allow`.
    #[serde(default, deserialize_with = "deserialize_nullable", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub unattended: Option<Option<String>>,
    /// Whether “completed” is taken at its word: `trust` or `ask_once`.
    #[serde(default, deserialize_with = "deserialize_nullable", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub completion: Option<Option<String>>,
    /// Whether a plan comes before actions: `free` or `plan`.
    #[serde(default, deserialize_with = "deserialize_nullable", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub mode: Option<Option<String>>,
}

impl PoliciesEditShape {
    /// The policy update.
    ///
    /// # Errors
    /// If a value is not allowed for its field, or a span is negative.
    pub fn read(self) -> Result<PolicyUpdate, Problem> {
        let window = self.catch_up_ms.map(|window| window.map(Millis));
        if window.flatten().is_some_and(|window| window.0 < 0) {
            return Err(Problem::invalid_field("policies.catch_up_ms", saying!("refusal-span-negative")));
        }
        Ok(PolicyUpdate {
            window,
            latest_only: self.latest_only,
            overlap: self
                .overlap
                .map(|word| of("policies.overlap", &word, OverlapPolicy::from_word, &OVERLAPS))
                .transpose()?,
            profile: inner("policies.profile", self.profile, LimitProfile::from_word, &PROFILES)?,
            unattended: inner(
                "policies.unattended",
                self.unattended,
                UnattendedPolicy::from_word,
                &UNATTENDED,
            )?,
            completion: inner(
                "policies.completion",
                self.completion,
                CompletionCheck::from_word,
                &COMPLETIONS,
            )?,
            mode: inner("policies.mode", self.mode, PlanMode::from_word, &MODES)?,
        })
    }
}

const OVERLAPS: [&str; 2] = [OverlapPolicy::Skip.word(), OverlapPolicy::Queue.word()];
const MODES: [&str; 2] = [PlanMode::Free.word(), PlanMode::Plan.word()];
const PROFILES: [&str; 2] = [LimitProfile::Autonomous.word(), LimitProfile::Strict.word()];
const UNATTENDED: [&str; 3] =
    [UnattendedPolicy::Park.word(), UnattendedPolicy::Refuse.word(), UnattendedPolicy::Allow.word()];
const COMPLETIONS: [&str; 2] = [CompletionCheck::Trust.word(), CompletionCheck::AskOnce.word()];

fn inner<T>(
    field: &str,
    words: Option<Option<String>>,
    read: impl Fn(&str) -> Option<T>,
    all: &[&str],
) -> Result<Option<Option<T>>, Problem> {
    words.map(|word| word.map(|word| of(field, &word, read, all)).transpose()).transpose()
}

fn of<T>(field: &str, word: &str, read: impl Fn(&str) -> Option<T>, all: &[&str]) -> Result<T, Problem> {
    read(word).ok_or_else(|| Problem::unknown_word(field, word, all))
}

/// An automation to be made.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAutomationShape {
    /// Its name.
    pub name: String,
    /// When it runs.
    pub trigger: NewTriggerShape,
    /// What each run begins with.
    pub message: String,
    /// What the message refers to, as `GET …/enrichments` says; periods may be relative, and then count from each run.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    pub enrichments: Vec<ExactJson>,
    /// Whether it runs by itself from now on; true unless given.
    pub enabled: Option<bool>,
    /// The provider; none: the default one.
    pub provider: Option<String>,
    /// The model; none: that of the provider.
    pub model: Option<String>,
    /// Every action of the runs needs an approval; false unless given.
    #[serde(default)]
    pub require_validation: bool,
    /// The commands that the runs may ask for; none: all.
    pub commands: Option<Vec<String>>,
    /// How it runs.
    #[serde(default)]
    pub policies: PoliciesEditShape,
}

/// A change of an automation; what is left out stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AutomationEditShape {
    /// Its name.
    pub name: Option<String>,
    /// Whether it runs.
    pub enabled: Option<bool>,
    /// When it runs.
    pub trigger: Option<NewTriggerShape>,
    /// What each run begins with.
    pub message: Option<String>,
    /// What the new message refers to, as `GET …/enrichments` says; only with a message.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    pub enrichments: Vec<ExactJson>,
    /// The provider; without a model it speaks with its own.
    pub provider: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// How the model asks for commands: `envelope` or `tools`; none: stays, or is that of a new provider.
    pub dialect: Option<String>,
    /// Every action of the runs needs an approval.
    pub require_validation: Option<bool>,
    /// The commands that the runs may ask for.
    pub commands: Option<Vec<String>>,
    /// How it runs.
    #[serde(default)]
    pub policies: PoliciesEditShape,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::ProblemCode;

    fn read(text: &str) -> Result<PolicyUpdate, String> {
        let shape: PoliciesEditShape = serde_json::from_str(text).map_err(|error| error.to_string())?;
        shape.read().map_err(|problem| problem.code().word().to_owned())
    }

    #[test]
    fn null_differs_from_omitted_field() {
        let none = PolicyUpdate::default();
        assert_eq!(read("{}"), Ok(none.clone()));
        assert_eq!(read(r#"{"catch_up_ms":null}"#), Ok(PolicyUpdate { window: Some(None), ..none.clone() }));
        assert_eq!(
            read(r#"{"catch_up_ms":5,"overlap":"queue","unattended":"refuse","profile":null}"#),
            Ok(PolicyUpdate {
                window: Some(Some(Millis(5))),
                overlap: Some(OverlapPolicy::Queue),
                unattended: Some(Some(UnattendedPolicy::Refuse)),
                profile: Some(None),
                ..none
            })
        );
        for wrong in [r#"{"overlap":"both"}"#, r#"{"unattended":"maybe"}"#, r#"{"catch_up_ms":-1}"#] {
            assert_eq!(read(wrong), Err("invalid".into()), "{wrong}");
        }
    }

    #[test]
    fn trigger_uses_workspace_zone_by_default() {
        let read = |text: &str| {
            let shape: NewTriggerShape = serde_json::from_str(text).unwrap();
            shape.read("Europe/Paris".into(), Timestamp(1_500_000)).map_err(|problem| problem.code())
        };
        let cron = |zone: &str| Trigger::Cron { expression: "0 9 * * 1".into(), zone: zone.into() };
        assert_eq!(read(r#"{"type":"cron","expression":" 0 9 * * 1 "}"#), Ok(cron("Europe/Paris")));
        assert_eq!(read(r#"{"type":"cron","expression":"0 9 * * 1","zone":"UTC"}"#), Ok(cron("UTC")));
        let every = Trigger::Every { interval: Millis(5_000), anchor: Timestamp(6_000_000) };
        assert_eq!(read(r#"{"type":"every","interval_ms":5000}"#), Ok(every));
        assert_eq!(read(r#"{"type":"once","at":"tomorrow"}"#), Err(ProblemCode::Invalid));
        assert_eq!(read(r#"{"type":"manual"}"#), Ok(Trigger::Manual));
    }
}
