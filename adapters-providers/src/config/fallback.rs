//! Fallback entries of a session when an entry fails.

use entracte_domain::session::failure::FailureClass;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The providers that a session goes to when this one fails, by what went wrong: names of entries, in the order in
/// which they are asked, each once a round. The session stays with the one that answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FallbackConfig {
    /// When no credit or quota is left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exhausted: Vec<String>,
    /// When it cannot be reached, is overloaded or rate-limited for longer than a chat waits, or its answer was lost
    /// twice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub down: Vec<String>,
    /// When it refuses the content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// When its key, its model or its entry is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub misconfigured: Vec<String>,
    /// When the conversation is too long for its model; a summary comes after that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context_too_long: Vec<String>,
}

impl FallbackConfig {
    /// The lists with their configuration keys.
    pub fn lists(&self) -> [(&'static str, &[String]); 5] {
        [
            ("exhausted", &self.exhausted),
            ("down", &self.down),
            ("refused", &self.refused),
            ("misconfigured", &self.misconfigured),
            ("context_too_long", &self.context_too_long),
        ]
    }

    /// The entries for a class of failure. Repairable failures are repaired and have no fallback.
    pub fn providers_for(&self, class: FailureClass) -> &[String] {
        match class {
            FailureClass::Unreachable
            | FailureClass::Lost
            | FailureClass::Throttled
            | FailureClass::Overloaded => &self.down,
            FailureClass::Exhausted => &self.exhausted,
            FailureClass::Refused => &self.refused,
            FailureClass::ContextTooLong => &self.context_too_long,
            FailureClass::Misconfigured => &self.misconfigured,
            FailureClass::Repairable => &[],
        }
    }
}
