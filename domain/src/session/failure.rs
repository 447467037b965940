//! How a model call fails. The adapter classifies where it happens, never from the text of a message.

use crate::id::Digest;
use crate::session::{AlwaysSendSection, ModelSelection};
use crate::time::Millis;

crate::words! {
    /// The class of a failed model call; the machine decides by it.
    pub enum FailureClass {
        /// Nothing reached the provider: no network, connect refused, no name.
        Unreachable = "unreachable",
        /// The request was sent whole and no answer, or a cut one, came back. Perhaps billed.
        Lost = "lost",
        /// Too many requests; the provider may say when to come back.
        Throttled = "throttled",
        /// The provider is overloaded or broken for a moment.
        Overloaded = "overloaded",
        /// Quota or credit is used up; a person must act.
        Exhausted = "exhausted",
        /// The provider refuses this content.
        Refused = "refused",
        /// The prompt is longer than the model takes.
        ContextTooLong = "context_too_long",
        /// The request can be fixed: invalid reasoning signature, a bad tool call made by the provider.
        Repairable = "repairable",
        /// Key, model or request are wrong; a person must change a setting.
        Misconfigured = "misconfigured",
    }
}

/// A failed model call, as the machine takes it in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelFailure {
    /// Its class.
    pub class: FailureClass,
    /// What to show to people: what was wrong, with which value, and how to fix it. Never put into a prompt.
    pub message: String,
    /// When the provider says to come back.
    pub retry_after: Option<Millis>,
    /// A random span drawn by the application, so that sessions do not come back all at once.
    pub jitter: Millis,
    /// The start of the process that found the attempt open, when a restart found it.
    pub found_by_start: Option<crate::time::Timestamp>,
    /// Who goes on in its place, where somebody does: looked up by the class, once for each that fails in a round.
    pub instead: Option<Box<FallbackModel>>,
}

/// The model that goes on where another one failed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FallbackModel {
    /// The model.
    pub voice: ModelSelection,
    /// Hash of the frozen prefix of the generation that begins with it.
    pub prefix: Digest,
    /// The data that the prefix holds.
    pub told: Vec<AlwaysSendSection>,
}
