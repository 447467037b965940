//! How a model call fails. The adapter classifies where it happens, never from the text of a message.

use crate::time::Millis;

/// The class of a failed model call; the machine decides by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureClass {
    /// Nothing reached the provider: no network, connect refused, no name.
    Unreachable,
    /// The request was sent whole and no answer, or a cut one, came back. Perhaps billed.
    Lost,
    /// Too many requests; the provider may say when to come back.
    Throttled,
    /// The provider is overloaded or broken for a moment.
    Overloaded,
    /// Quota or credit is used up; a person must act.
    Exhausted,
    /// The provider refuses this content.
    Refused,
    /// The prompt is longer than the model takes.
    ContextTooLong,
    /// The request can be fixed: invalid reasoning signature, a bad tool call made by the provider.
    Repairable,
    /// Key, model or request are wrong; a person must change a setting.
    Misconfigured,
}

impl FailureClass {
    /// Every class.
    pub const ALL: [FailureClass; 9] = [
        FailureClass::Unreachable,
        FailureClass::Lost,
        FailureClass::Throttled,
        FailureClass::Overloaded,
        FailureClass::Exhausted,
        FailureClass::Refused,
        FailureClass::ContextTooLong,
        FailureClass::Repairable,
        FailureClass::Misconfigured,
    ];

    /// The word in logs, JSON and the database.
    pub const fn word(self) -> &'static str {
        match self {
            FailureClass::Unreachable => "unreachable",
            FailureClass::Lost => "lost",
            FailureClass::Throttled => "throttled",
            FailureClass::Overloaded => "overloaded",
            FailureClass::Exhausted => "exhausted",
            FailureClass::Refused => "refused",
            FailureClass::ContextTooLong => "context_too_long",
            FailureClass::Repairable => "repairable",
            FailureClass::Misconfigured => "misconfigured",
        }
    }

    /// The class that a word of [`FailureClass::word`] stands for.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.word() == word)
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
}
