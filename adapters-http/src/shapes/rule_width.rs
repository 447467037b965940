//! What a standing approval covers that is given with a decision.

use std::collections::BTreeMap;

use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::validation::RuleWidth;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::rule::{ConditionShape, conditions, into_conditions};
use super::rule_limits::UseLimitsShape;
use super::rule_words::{conditions_in_words, limits_in_words};

/// What a standing approval covers. The call on the card is covered by it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleWidthShape {
    /// What each argument must be. No other argument is allowed.
    #[serde(default)]
    pub arguments: BTreeMap<String, ConditionShape>,
    /// The limits on its use.
    #[serde(default)]
    pub limits: UseLimitsShape,
    /// Only for what asks: the agent, the automation of a run, or else the session.
    #[serde(default)]
    pub requester_only: bool,
}

/// A standing approval that a card offers.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct OfferedWidthShape {
    /// What it means, in the language of the reader.
    pub says: String,
    /// What to send with the decision.
    pub width: RuleWidthShape,
    /// The same as JSON text, whose numbers keep their digits.
    pub width_text: String,
}

impl RuleWidthShape {
    /// The shape of a width.
    pub fn new(width: &RuleWidth) -> Self {
        Self {
            arguments: conditions(&width.arguments),
            limits: UseLimitsShape::new(&width.limits),
            requester_only: width.requester_only,
        }
    }

    /// The calls that it covers and its limits in one sentence, as the card of a call offers it.
    pub fn in_words(&self, command: &str, texts: &LocalizedTexts) -> String {
        let conditions = match self.arguments.is_empty() {
            true => say!(texts, "rule-no-arguments"),
            false => say!(texts, "rule-where", conditions = conditions_in_words(&self.arguments, texts)),
        };
        let scope = match self.requester_only {
            true => say!(texts, "rule-for-requester"),
            false => say!(texts, "rule-in-workspace"),
        };
        let limits: Vec<String> = limits_in_words(&self.limits, texts).into_iter().chain([scope]).collect();
        say!(texts, "rule-offer", command = command, conditions = conditions, limits = limits.join("; "))
    }

    /// The width of the shape.
    pub fn into_width(self) -> RuleWidth {
        RuleWidth {
            arguments: into_conditions(self.arguments),
            limits: self.limits.into_limits(),
            requester_only: self.requester_only,
        }
    }
}

impl OfferedWidthShape {
    /// The offer of a width for calls of a command.
    pub fn new(command: &str, width: &RuleWidth, texts: &LocalizedTexts) -> Self {
        let width = RuleWidthShape::new(width);
        // A shape of texts and exact values can always be written.
        let width_text = serde_json::to_string(&width).unwrap_or_default();
        Self { says: width.in_words(command, texts), width, width_text }
    }
}
