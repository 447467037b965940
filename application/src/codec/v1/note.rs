//! What a transition appended: messages, and facts worth telling. One list of tagged shapes, because most notes
//! are a word.

use entracte_domain::id::{CallId, MessageId};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{self as domain, EndReason, RoundReason, TransientPhase};
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::approval::PolicyAuthor;
use super::leaf::Hash;
use super::message::{Around, Message};
use super::plan::{Plan, PlanStep};
use super::shape::shape;
use super::speech::Speech;
use super::system::SystemMessage;
use super::words::Word;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Appended {
    Message(Box<Message>),
    /// A message of the system with nothing special about it.
    System(SystemMessage),
    MessagesJoined(Vec<String>),
    EnrichmentsExecuted,
    /// Round and reason.
    RoundStarted(u32, Word<RoundReason>),
    /// The same, of a closing round.
    ClosingRoundStarted(u32, Word<RoundReason>),
    /// The same, of a round for words alone.
    WordsRoundStarted(u32, Word<RoundReason>),
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
    PassedThrough(Word<TransientPhase>),
    LimitReached(Limit),
    GenerationBegun(u32),
    FellBack {
        from: String,
        to: String,
        class: Word<FailureClass>,
    },
    ApprovedByPolicy {
        call: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<PolicyAuthor>,
    },
    /// The word of the first release, which stays.
    #[serde(rename = "leave_asked_again")]
    ApprovalAskedAgain {
        call: String,
    },
    ApprovedByRule {
        call: String,
        rule: String,
    },
    PlanApproved(Plan),
    PlanStepped(Hash, PlanStep),
    WaitExpired,
    SessionSuspended,
    SessionResumed,
    SessionParked,
    ReplacedInQueue,
    Quarantined,
    ClosureDelayElapsed,
    SessionCompleted {
        reason: Word<EndReason>,
    },
}

/// The shapes of what an entry appended.
pub(super) fn of(appended: &[domain::LogAppend], around: Around<'_>) -> Vec<Appended> {
    let mut ordinal = 0;
    let shape = |appended: &domain::LogAppend| match appended {
        domain::LogAppend::Message(message) => {
            ordinal += 1;
            match Message::of(message, ordinal, around).into_plain_system() {
                Ok(system) => Appended::System(system),
                Err(message) => Appended::Message(message),
            }
        }
        domain::LogAppend::Note(note) => note.into(),
    };
    appended.iter().map(shape).collect()
}

/// What an entry appended.
pub(super) fn into_domain(shapes: Vec<Appended>, around: Around<'_>) -> Vec<domain::LogAppend> {
    let mut ordinal = 0;
    let appended = |shape: Appended| match note(shape) {
        Ok(note) => domain::LogAppend::Note(note),
        Err(message) => {
            ordinal += 1;
            domain::LogAppend::Message(Box::new(message.into_domain(ordinal, around)))
        }
    };
    shapes.into_iter().map(appended).collect()
}

impl From<&domain::JournalNote> for Appended {
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
                    // The last round of all is for words anyhow.
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
                Self::ApprovedByPolicy { call: text(call), by: by.as_ref().map(PolicyAuthor::from) }
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

/// The note of a shape, or the message that it is.
fn note(shape: Appended) -> Result<domain::JournalNote, Box<Message>> {
    use domain::JournalNote;
    Ok(match shape {
        Appended::Message(message) => return Err(message),
        Appended::System(message) => return Err(Box::new(message.into())),
        Appended::MessagesJoined(ids) => {
            JournalNote::MessagesJoined(ids.into_iter().map(MessageId::new).collect())
        }
        Appended::EnrichmentsExecuted => JournalNote::EnrichmentsExecuted,
        Appended::RoundStarted(round, reason) => {
            JournalNote::RoundStarted { round, reason: reason.0, closing: false, words_only: false }
        }
        Appended::ClosingRoundStarted(round, reason) => {
            JournalNote::RoundStarted { round, reason: reason.0, closing: true, words_only: false }
        }
        Appended::WordsRoundStarted(round, reason) => {
            JournalNote::RoundStarted { round, reason: reason.0, closing: false, words_only: true }
        }
        Appended::AttemptStarted(round, attempt) => JournalNote::AttemptStarted { round, attempt },
        Appended::AiResponseParsed => JournalNote::AiResponseParsed,
        Appended::ParseErrorOccurred { faults } => JournalNote::ParseErrorOccurred { faults },
        Appended::DataQueriesExecuted => JournalNote::DataQueriesExecuted,
        Appended::ActionsExecuted => JournalNote::ActionsExecuted,
        Appended::ActionFailureOccurred => JournalNote::ActionFailureOccurred,
        Appended::NetworkRetryScheduled { at } => JournalNote::NetworkRetryScheduled { at: Timestamp(at) },
        Appended::RetryScheduled { call, at } => {
            JournalNote::RetryScheduled { call: CallId::new(call), at: Timestamp(at) }
        }
        Appended::PassedThrough(phase) => JournalNote::PassedThrough(phase.0),
        Appended::LimitReached(limit) => JournalNote::LimitReached(limit.into()),
        Appended::GenerationBegun(generation) => JournalNote::GenerationBegun(generation),
        Appended::FellBack { from, to, class } => JournalNote::FellBack { from, to, class: class.0 },
        Appended::ApprovedByPolicy { call, by } => {
            JournalNote::ApprovedByPolicy { call: CallId::new(call), by: by.map(Into::into) }
        }
        Appended::ApprovalAskedAgain { call } => JournalNote::ApprovalAskedAgain { call: CallId::new(call) },
        Appended::ApprovedByRule { call, rule } => {
            JournalNote::ApprovedByRule { call: CallId::new(call), rule }
        }
        Appended::PlanApproved(plan) => JournalNote::PlanApproved(plan.into()),
        Appended::PlanStepped(digest, step) => {
            JournalNote::PlanStepped { digest: digest.into(), step: step.into() }
        }
        Appended::WaitExpired => JournalNote::WaitExpired,
        Appended::SessionSuspended => JournalNote::SessionSuspended,
        Appended::SessionResumed => JournalNote::SessionResumed,
        Appended::SessionParked => JournalNote::SessionParked,
        Appended::ReplacedInQueue => JournalNote::ReplacedInQueue,
        Appended::Quarantined => JournalNote::Quarantined,
        Appended::ClosureDelayElapsed => JournalNote::ClosureDelayElapsed,
        Appended::SessionCompleted { reason } => JournalNote::SessionCompleted { reason: reason.0 },
    })
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum Limit = domain::SessionLimit {
        Rounds,
        QueryRounds,
        FailedActionRounds,
        FormatErrors,
        EqualFailures { failure: Speech },
        Relaunches,
        WithoutProgress,
        Context { size: u64, budget: u64 },
    }
}
