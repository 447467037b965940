//! Failures of model calls. The adapter classifies them at the source, never by the text of a message.

use crate::agent::AgentEndClass;
use crate::id::Digest;
use crate::session::{AlwaysSendSection, ModelSelection};
use crate::time::Millis;

crate::words! {
    /// The class of a failed model call; the state machine decides by it.
    pub enum FailureClass {
        /// Nothing reached the provider: no network, connection refused, name not resolved.
        Unreachable = "unreachable",
        /// The request was sent completely, but the answer is missing or truncated. Perhaps billed.
        Lost = "lost",
        /// Too many requests; the provider may say when to retry.
        Throttled = "throttled",
        /// The provider is temporarily overloaded or broken.
        Overloaded = "overloaded",
        /// Quota or credit is used up; a person must act.
        Exhausted = "exhausted",
        /// The provider refuses this content.
        Refused = "refused",
        /// The prompt exceeds the model's context window.
        ContextTooLong = "context_too_long",
        /// The request can be fixed: invalid reasoning signature, a bad tool call made by the provider.
        Repairable = "repairable",
        /// Key, model or request is wrong; a person must change a setting.
        Misconfigured = "misconfigured",
    }
}

impl From<FailureClass> for AgentEndClass {
    fn from(class: FailureClass) -> Self {
        match class {
            FailureClass::Unreachable => Self::Unreachable,
            FailureClass::Lost => Self::Lost,
            FailureClass::Throttled => Self::Throttled,
            FailureClass::Overloaded => Self::Overloaded,
            FailureClass::Exhausted => Self::Exhausted,
            FailureClass::Refused => Self::Refused,
            FailureClass::ContextTooLong => Self::Context,
            FailureClass::Repairable | FailureClass::Misconfigured => Self::Misconfigured,
        }
    }
}

/// A failed model call, as an input of the state machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelFailure {
    /// Class of the failure.
    pub class: FailureClass,
    /// Message for people: the fault, the value, and how to fix it. Never put into a prompt.
    pub message: String,
    /// Delay before a retry, as the provider says.
    pub retry_after: Option<Millis>,
    /// Random delay from the application, so that sessions do not retry simultaneously.
    pub jitter: Millis,
    /// Start of the process that found the attempt unfinished after a restart, if one did.
    pub found_by_start: Option<crate::time::Timestamp>,
    /// The model that continues instead, if one is configured for the class; looked up once per failure in a round.
    pub instead: Option<Box<FallbackModel>>,
}

/// The model that continues after another one failed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FallbackModel {
    /// Provider, model and dialect.
    pub voice: ModelSelection,
    /// Hash of the frozen prefix of the new generation.
    pub prefix: Digest,
    /// The always-sent data in the prefix.
    pub told: Vec<AlwaysSendSection>,
}
