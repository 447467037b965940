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
    /// What it means, in the language of the reader, without `in_session` and `agents`.
    pub says: String,
    /// What to send with the decision.
    pub width: RuleWidthShape,
    /// The same as JSON text, whose numbers keep their digits.
    pub width_text: String,
}

/// What the decision adds to the width of a standing approval.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleReach {
    /// It counts in the session of the card alone.
    pub in_session: bool,
    /// It counts for agents too, as the person says.
    pub agents: bool,
    /// An agent asks: in the whole workspace it counts for agents in any case.
    pub is_of_agent: bool,
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
    pub fn in_words(&self, command: &str, reach: RuleReach, texts: &LocalizedTexts) -> String {
        let conditions = match self.arguments.is_empty() {
            true => say!(texts, "rule-no-arguments"),
            false => say!(texts, "rule-where", conditions = conditions_in_words(&self.arguments, texts)),
        };
        let scope = match reach {
            RuleReach { in_session: true, .. } => say!(texts, "rule-in-this-session"),
            RuleReach { agents: true, .. } if self.requester_only => say!(texts, "rule-for-requester-agents"),
            _ if self.requester_only => say!(texts, "rule-for-requester"),
            RuleReach { agents: true, .. } | RuleReach { is_of_agent: true, .. } => {
                say!(texts, "rule-in-workspace-agents")
            }
            _ => say!(texts, "rule-in-workspace"),
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
    /// The offer of a width for calls of a command, as far as it reaches without more in the decision.
    pub fn new(command: &str, width: &RuleWidth, is_of_agent: bool, texts: &LocalizedTexts) -> Self {
        let width = RuleWidthShape::new(width);
        // A shape of texts and exact values can always be written.
        let width_text = serde_json::to_string(&width).unwrap_or_default();
        let reach = RuleReach { is_of_agent, ..RuleReach::default() };
        Self { says: width.in_words(command, reach, texts), width, width_text }
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::texts::Language;

    use super::*;

    /// Input: what the decision adds to a width, and whether that is for what asks only; expected: the sentence names whom
    /// the rule is for in the end, agents included.
    #[test]
    fn sentence_names_whom_the_rule_is_for() {
        let texts = LocalizedTexts::for_language(Language::En);
        let none = RuleReach::default();
        let (in_session, agents) =
            (RuleReach { in_session: true, ..none }, RuleReach { agents: true, ..none });
        let of_agent = RuleReach { is_of_agent: true, ..none };
        let cases = [
            (none, false, "in every session of the workspace"),
            (none, true, "only for the automation, agent or session that asks here"),
            (in_session, false, "in this session only"),
            (in_session, true, "in this session only"),
            (agents, false, "in every session of the workspace, and for agents too"),
            (agents, true, "only for the automation that asks here, and for its agents too"),
            (of_agent, false, "in every session of the workspace, and for agents too"),
            (of_agent, true, "only for the automation, agent or session that asks here"),
        ];
        for (reach, requester_only, expected) in cases {
            let width = RuleWidthShape { requester_only, ..RuleWidthShape::default() };
            let says = width.in_words("files.write", reach, texts);
            assert_eq!(
                says,
                format!("later calls of files.write without arguments; {expected}"),
                "{reach:?}"
            );
        }
    }
}
