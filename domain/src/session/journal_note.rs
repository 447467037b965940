//! Facts that are journaled beside the input that caused them and are not inputs themselves.

use crate::id::{CallId, Digest, MessageId};
use crate::message::Message;
use crate::plan::{Plan, PlanStep};
use crate::session::failure::FailureClass;
use crate::session::{EndReason, PhaseLabel, RoundReason, SessionLimit};
use crate::time::Timestamp;
use crate::validation::PolicyAuthor;

/// The log entries of a transition, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LogAppend {
    /// A message created by the state machine.
    Message(Box<Message>),
    /// A journaled fact.
    Note(JournalNote),
}

/// A journaled fact.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the words say it; fields are named after what they hold")]
pub enum JournalNote {
    /// These queued messages enter the conversation here.
    MessagesJoined(Vec<MessageId>),
    EnrichmentsExecuted,
    RoundStarted {
        round: u32,
        reason: RoundReason,
        closing: bool,
        words_only: bool,
    },
    AttemptStarted {
        round: u32,
        attempt: u32,
    },
    AiResponseParsed,
    ParseErrorOccurred {
        faults: Vec<String>,
    },
    DataQueriesExecuted,
    ActionsExecuted,
    ActionFailureOccurred,
    NetworkRetryScheduled {
        at: Timestamp,
    },
    RetryScheduled {
        call: CallId,
        at: Timestamp,
    },
    PassedThrough(TransientPhase),
    LimitReached(SessionLimit),
    GenerationBegun(u32),
    FellBack {
        from: String,
        to: String,
        class: FailureClass,
    },
    ApprovedByPolicy {
        call: CallId,
        /// The person who set the policy, and when; `None` in journals of earlier versions.
        by: Option<PolicyAuthor>,
    },
    ApprovalAskedAgain {
        call: CallId,
    },
    ApprovedByRule {
        call: CallId,
        rule: String,
    },
    PlanApproved(Plan),
    PlanStepped {
        digest: Digest,
        step: PlanStep,
    },
    WaitExpired,
    SessionSuspended,
    SessionResumed,
    SessionParked,
    ReplacedInQueue,
    Quarantined,
    ClosureDelayElapsed,
    SessionCompleted {
        reason: EndReason,
    },
}

crate::words! {
    /// Phases that are passed through within one transition.
    pub enum TransientPhase {
        /// A reply is parsed.
        ParsingAiResponse = "parsing_ai_response",
        /// A reply could not be read; the model gets a correction request.
        RetryingAfterFormatError = "retrying_after_format_error",
        /// An action failed; the model gets the error.
        RetryingAfterActionFailure = "retrying_after_action_failure",
    }
}

impl TransientPhase {
    /// The phase label of this transient phase.
    pub const fn label(self) -> PhaseLabel {
        match self {
            TransientPhase::ParsingAiResponse => PhaseLabel::ParsingAiResponse,
            TransientPhase::RetryingAfterFormatError => PhaseLabel::RetryingAfterFormatError,
            TransientPhase::RetryingAfterActionFailure => PhaseLabel::RetryingAfterActionFailure,
        }
    }
}
