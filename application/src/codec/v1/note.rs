//! The records a transition appended: messages and journal notes. One list of tagged shapes, because most notes are a
//! single word.

use entracte_domain::id::{CallId, MessageId};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{self as domain, EndReason, RoundReason, TransientPhase};
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::approval::PolicyAuthorV1;
use super::leaf::HashV1;
use super::message::{AroundV1, MessageV1};
use super::plan::{PlanStepV1, PlanV1};
use super::shape::shape;
use super::speech::SpeechV1;
use super::spending::SpendingExcessV1;
use super::system::SystemMessageV1;
use super::words::WordV1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum AppendedV1 {
    Message(Box<MessageV1>),
    /// A system message without other content.
    System(SystemMessageV1),
    MessagesJoined(Vec<String>),
    EnrichmentsExecuted,
    /// Round and reason.
    RoundStarted(u32, WordV1<RoundReason>),
    /// Round and reason of a closing round.
    ClosingRoundStarted(u32, WordV1<RoundReason>),
    /// Round and reason of a text-only round.
    WordsRoundStarted(u32, WordV1<RoundReason>),
    /// Round and attempt.
    AttemptStarted(u32, u32),
    AiResponseParsed,
    ParseErrorOccurred {
        faults: Vec<String>,
    },
    DataQueriesExecuted,
    ActionsExecuted,
    ActionFailureOccurred,
    NetworkRetryScheduled {
        at: i64,
    },
    RetryScheduled {
        call: String,
        at: i64,
    },
    PassedThrough(WordV1<TransientPhase>),
    LimitReached(LimitV1),
    GenerationBegun(u32),
    FellBack {
        from: String,
        to: String,
        class: WordV1<FailureClass>,
    },
    ApprovedByPolicy {
        call: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<PolicyAuthorV1>,
    },
    /// Stored under the word of the first release.
    #[serde(rename = "leave_asked_again")]
    ApprovalAskedAgain {
        call: String,
    },
    ApprovedByRule {
        call: String,
        rule: String,
    },
    PlanApproved(PlanV1),
    PlanStepped(HashV1, PlanStepV1),
    WaitExpired,
    SessionSuspended,
    SessionResumed,
    SessionParked,
    ReplacedInQueue,
    Quarantined,
    ClosureDelayElapsed,
    SessionCompleted {
        reason: WordV1<EndReason>,
    },
}

/// The shapes of the records that an entry appended.
pub(super) fn of(appended: &[domain::LogAppend], around: AroundV1<'_>) -> Vec<AppendedV1> {
    let mut ordinal = 0;
    let shape = |appended: &domain::LogAppend| match appended {
        domain::LogAppend::Message(message) => {
            ordinal += 1;
            match MessageV1::of(message, ordinal, around).into_plain_system() {
                Ok(system) => AppendedV1::System(system),
                Err(message) => AppendedV1::Message(message),
            }
        }
        domain::LogAppend::Note(note) => note.into(),
    };
    appended.iter().map(shape).collect()
}

/// The records that an entry appended.
pub(super) fn into_domain(shapes: Vec<AppendedV1>, around: AroundV1<'_>) -> Vec<domain::LogAppend> {
    let mut ordinal = 0;
    let appended = |shape: AppendedV1| match note(shape) {
        Ok(note) => domain::LogAppend::Note(note),
        Err(message) => {
            ordinal += 1;
            domain::LogAppend::Message(Box::new(message.into_domain(ordinal, around)))
        }
    };
    shapes.into_iter().map(appended).collect()
}

impl From<&domain::JournalNote> for AppendedV1 {
    fn from(note: &domain::JournalNote) -> Self {
        use domain::JournalNote;
        let text = |id: &CallId| id.as_str().to_owned();
        match note {
            JournalNote::MessagesJoined(ids) => {
                Self::MessagesJoined(ids.iter().map(|id| id.as_str().to_owned()).collect())
            }
            JournalNote::EnrichmentsExecuted => Self::EnrichmentsExecuted,
            JournalNote::RoundStarted { round, reason, closing, words_only } => {
                let (round, reason) = (*round, reason.into());
                match (closing, words_only) {
                    (false, false) => Self::RoundStarted(round, reason),
                    // A closing round requests text only in any case.
                    (true, _) => Self::ClosingRoundStarted(round, reason),
                    (false, true) => Self::WordsRoundStarted(round, reason),
                }
            }
            JournalNote::AttemptStarted { round, attempt } => Self::AttemptStarted(*round, *attempt),
            JournalNote::AiResponseParsed => Self::AiResponseParsed,
            JournalNote::ParseErrorOccurred { faults } => Self::ParseErrorOccurred { faults: faults.clone() },
            JournalNote::DataQueriesExecuted => Self::DataQueriesExecuted,
            JournalNote::ActionsExecuted => Self::ActionsExecuted,
            JournalNote::ActionFailureOccurred => Self::ActionFailureOccurred,
            JournalNote::NetworkRetryScheduled { at } => Self::NetworkRetryScheduled { at: at.0 },
            JournalNote::RetryScheduled { call, at } => Self::RetryScheduled { call: text(call), at: at.0 },
            JournalNote::PassedThrough(phase) => Self::PassedThrough(phase.into()),
            JournalNote::LimitReached(limit) => Self::LimitReached(limit.into()),
            JournalNote::GenerationBegun(generation) => Self::GenerationBegun(*generation),
            JournalNote::FellBack { from, to, class } => {
                Self::FellBack { from: from.clone(), to: to.clone(), class: class.into() }
            }
            JournalNote::ApprovedByPolicy { call, by } => {
                Self::ApprovedByPolicy { call: text(call), by: by.as_ref().map(PolicyAuthorV1::from) }
            }
            JournalNote::ApprovalAskedAgain { call } => Self::ApprovalAskedAgain { call: text(call) },
            JournalNote::ApprovedByRule { call, rule } => {
                Self::ApprovedByRule { call: text(call), rule: rule.clone() }
            }
            JournalNote::PlanApproved(plan) => Self::PlanApproved(plan.into()),
            JournalNote::PlanStepped { digest, step } => Self::PlanStepped(digest.into(), step.into()),
            JournalNote::WaitExpired => Self::WaitExpired,
            JournalNote::SessionSuspended => Self::SessionSuspended,
            JournalNote::SessionResumed => Self::SessionResumed,
            JournalNote::SessionParked => Self::SessionParked,
            JournalNote::ReplacedInQueue => Self::ReplacedInQueue,
            JournalNote::Quarantined => Self::Quarantined,
            JournalNote::ClosureDelayElapsed => Self::ClosureDelayElapsed,
            JournalNote::SessionCompleted { reason } => Self::SessionCompleted { reason: reason.into() },
        }
    }
}

/// Converts to a note; a message is returned as it is.
fn note(shape: AppendedV1) -> Result<domain::JournalNote, Box<MessageV1>> {
    use domain::JournalNote;
    Ok(match shape {
        AppendedV1::Message(message) => return Err(message),
        AppendedV1::System(message) => return Err(Box::new(message.into())),
        AppendedV1::MessagesJoined(ids) => {
            JournalNote::MessagesJoined(ids.into_iter().map(MessageId::new).collect())
        }
        AppendedV1::EnrichmentsExecuted => JournalNote::EnrichmentsExecuted,
        AppendedV1::RoundStarted(round, reason) => {
            JournalNote::RoundStarted { round, reason: reason.0, closing: false, words_only: false }
        }
        AppendedV1::ClosingRoundStarted(round, reason) => {
            JournalNote::RoundStarted { round, reason: reason.0, closing: true, words_only: false }
        }
        AppendedV1::WordsRoundStarted(round, reason) => {
            JournalNote::RoundStarted { round, reason: reason.0, closing: false, words_only: true }
        }
        AppendedV1::AttemptStarted(round, attempt) => JournalNote::AttemptStarted { round, attempt },
        AppendedV1::AiResponseParsed => JournalNote::AiResponseParsed,
        AppendedV1::ParseErrorOccurred { faults } => JournalNote::ParseErrorOccurred { faults },
        AppendedV1::DataQueriesExecuted => JournalNote::DataQueriesExecuted,
        AppendedV1::ActionsExecuted => JournalNote::ActionsExecuted,
        AppendedV1::ActionFailureOccurred => JournalNote::ActionFailureOccurred,
        AppendedV1::NetworkRetryScheduled { at } => JournalNote::NetworkRetryScheduled { at: Timestamp(at) },
        AppendedV1::RetryScheduled { call, at } => {
            JournalNote::RetryScheduled { call: CallId::new(call), at: Timestamp(at) }
        }
        AppendedV1::PassedThrough(phase) => JournalNote::PassedThrough(phase.0),
        AppendedV1::LimitReached(limit) => JournalNote::LimitReached(limit.into()),
        AppendedV1::GenerationBegun(generation) => JournalNote::GenerationBegun(generation),
        AppendedV1::FellBack { from, to, class } => JournalNote::FellBack { from, to, class: class.0 },
        AppendedV1::ApprovedByPolicy { call, by } => {
            JournalNote::ApprovedByPolicy { call: CallId::new(call), by: by.map(Into::into) }
        }
        AppendedV1::ApprovalAskedAgain { call } => {
            JournalNote::ApprovalAskedAgain { call: CallId::new(call) }
        }
        AppendedV1::ApprovedByRule { call, rule } => {
            JournalNote::ApprovedByRule { call: CallId::new(call), rule }
        }
        AppendedV1::PlanApproved(plan) => JournalNote::PlanApproved(plan.into()),
        AppendedV1::PlanStepped(digest, step) => {
            JournalNote::PlanStepped { digest: digest.into(), step: step.into() }
        }
        AppendedV1::WaitExpired => JournalNote::WaitExpired,
        AppendedV1::SessionSuspended => JournalNote::SessionSuspended,
        AppendedV1::SessionResumed => JournalNote::SessionResumed,
        AppendedV1::SessionParked => JournalNote::SessionParked,
        AppendedV1::ReplacedInQueue => JournalNote::ReplacedInQueue,
        AppendedV1::Quarantined => JournalNote::Quarantined,
        AppendedV1::ClosureDelayElapsed => JournalNote::ClosureDelayElapsed,
        AppendedV1::SessionCompleted { reason } => JournalNote::SessionCompleted { reason: reason.0 },
    })
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum LimitV1 = domain::SessionLimit {
        Rounds,
        QueryRounds,
        FailedActionRounds,
        FormatErrors,
        EqualFailures { failure: SpeechV1 },
        Relaunches,
        WithoutProgress,
        Context { size: u64, budget: u64 },
        Spending(excess: SpendingExcessV1),
    }
}
