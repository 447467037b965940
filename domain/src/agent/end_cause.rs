//! Why an agent ended without a result of its own.

use crate::localizable_text::{LocalizableText, sentences};

crate::words! {
    /// The class of what cut an agent short, as its caller reads it.
    pub enum AgentEndClass {
        /// The rounds of the agent, or of all agents, are used up.
        Rounds = "ROUNDS",
        /// Too many rounds in a row only read.
        QueryRounds = "QUERY_ROUNDS",
        /// Too many rounds in a row had a failed action.
        FailedActionRounds = "FAILED_ACTION_ROUNDS",
        /// Too many replies in a row had a wrong format.
        FormatErrors = "FORMAT_ERRORS",
        /// The same failure came too often in a row.
        EqualFailures = "EQUAL_FAILURES",
        /// Too many rounds began without a person.
        Relaunches = "RELAUNCHES",
        /// Too many rounds brought nothing new.
        WithoutProgress = "WITHOUT_PROGRESS",
        /// The conversation exceeds the context window, also after a summary.
        Context = "CONTEXT",
        /// A call of the model could exceed a cap on money or tokens, or has no known price.
        Spending = "SPENDING",
        /// The maximum working time is over.
        RunDuration = "RUN_DURATION",
        /// Nothing happened for too long.
        Inactivity = "INACTIVITY",
        /// The agent rested for an answer that did not come in time.
        Unanswered = "UNANSWERED",
        /// The agent sent two empty replies in a row.
        EmptyReplies = "EMPTY_REPLIES",
        /// The output limit cut two replies in a row.
        CutReplies = "CUT_REPLIES",
        /// The reply ended for a reason that this version does not know.
        UnknownReplyEnd = "UNKNOWN_REPLY_END",
        /// It is not known whether an action happened.
        OutcomeUnknown = "OUTCOME_UNKNOWN",
        /// The model's server could not be reached.
        Unreachable = "UNREACHABLE",
        /// The model's answer was lost.
        Lost = "LOST",
        /// The provider throttles requests.
        Throttled = "THROTTLED",
        /// The provider is overloaded or broken.
        Overloaded = "OVERLOADED",
        /// The provider's credit or quota is used up.
        Exhausted = "EXHAUSTED",
        /// The provider refuses the content.
        Refused = "REFUSED",
        /// The provider cannot be used as it is set up.
        Misconfigured = "MISCONFIGURED",
        /// Entracte itself failed.
        Internal = "INTERNAL",
    }
}

/// Why an agent ended without a result of its own. Its text is of the machine alone: the words of a provider are for
/// people and never reach a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AgentEndCause {
    /// Class of the cause.
    pub class: AgentEndClass,
    /// Text for the caller.
    pub text: LocalizableText,
}

impl AgentEndClass {
    /// The text of a cause that has no numbers.
    pub(crate) fn usual_text(self) -> LocalizableText {
        match self {
            Self::Context => sentences::agent_ended_context(),
            Self::Spending => sentences::agent_ended_spending(),
            Self::Unanswered => sentences::agent_ended_unanswered(),
            Self::EmptyReplies => sentences::agent_ended_empty_replies(),
            Self::CutReplies => sentences::agent_ended_cut_replies(),
            Self::UnknownReplyEnd => sentences::agent_ended_unknown_reply_end(),
            Self::OutcomeUnknown => sentences::agent_ended_outcome_unknown(),
            Self::Unreachable => sentences::agent_ended_unreachable(),
            Self::Lost => sentences::agent_ended_lost(),
            Self::Throttled => sentences::agent_ended_throttled(),
            Self::Overloaded => sentences::agent_ended_overloaded(),
            Self::Exhausted => sentences::agent_ended_exhausted(),
            Self::Refused => sentences::agent_ended_refused(),
            Self::Misconfigured => sentences::agent_ended_misconfigured(),
            Self::Rounds
            | Self::QueryRounds
            | Self::FailedActionRounds
            | Self::FormatErrors
            | Self::EqualFailures
            | Self::Relaunches
            | Self::WithoutProgress
            | Self::RunDuration
            | Self::Inactivity
            | Self::Internal => sentences::agent_ended_internal(),
        }
    }
}
