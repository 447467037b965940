//! Facts journaled beside the input that caused them, and never fed to the machine.

use crate::id::{CallId, Digest, MessageId};
use crate::message::Message;
use crate::plan::{Plan, PlanStep};
use crate::session::failure::FailureClass;
use crate::session::{EndReason, PhaseLabel, RoundReason, SessionLimit};
use crate::time::Timestamp;
use crate::validation::PolicyAuthor;

/// What a transition appended to the log, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LogAppend {
    /// A message that the machine made.
    Message(Box<Message>),
    /// A fact worth telling.
    Note(JournalNote),
}

/// A fact worth telling.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the words say it; fields are named after what they hold")]
pub enum JournalNote {
    /// These queued messages take their place in the conversation here.
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
        /// Who set the policy, and when; `None` in journals of before.
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
    /// The phases that only pass through.
    pub enum TransientPhase {
        /// A reply is read.
        ParsingAiResponse = "parsing_ai_response",
        /// A reply could not be read; the model is told.
        RetryingAfterFormatError = "retrying_after_format_error",
        /// An action failed; the model is told.
        RetryingAfterActionFailure = "retrying_after_action_failure",
    }
}

impl TransientPhase {
    /// Its phase label.
    pub const fn label(self) -> PhaseLabel {
        match self {
            TransientPhase::ParsingAiResponse => PhaseLabel::ParsingAiResponse,
            TransientPhase::RetryingAfterFormatError => PhaseLabel::RetryingAfterFormatError,
            TransientPhase::RetryingAfterActionFailure => PhaseLabel::RetryingAfterActionFailure,
        }
    }
}
