//! What a transition appended: messages, and facts worth telling. One list of tagged shapes, because most notes
//! are a word.

use entracte_domain::id::{CallId, MessageId};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{self as domain, EndReason, PassThrough, RoundReason};
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
    PassedThrough(Word<PassThrough>),
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
pub(super) fn of(appended: &[domain::Appended], around: Around<'_>) -> Vec<Appended> {
    let mut ordinal = 0;
    let shape = |appended: &domain::Appended| match appended {
        domain::Appended::Message(message) => {
            ordinal += 1;
            match Message::of(message, ordinal, around).into_plain_system() {
                Ok(system) => Appended::System(system),
                Err(message) => Appended::Message(message),
            }
        }
        domain::Appended::Note(note) => note.into(),
    };
    appended.iter().map(shape).collect()
}

/// What an entry appended.
pub(super) fn into_domain(shapes: Vec<Appended>, around: Around<'_>) -> Vec<domain::Appended> {
    let mut ordinal = 0;
    let appended = |shape: Appended| match note(shape) {
        Ok(note) => domain::Appended::Note(note),
        Err(message) => {
            ordinal += 1;
            domain::Appended::Message(Box::new(message.into_domain(ordinal, around)))
        }
    };
    shapes.into_iter().map(appended).collect()
}

impl From<&domain::Note> for Appended {
    fn from(note: &domain::Note) -> Self {
        use domain::Note;
        let text = |id: &CallId| id.as_str().to_owned();
        match note {
            Note::MessagesJoined(ids) => {
                Self::MessagesJoined(ids.iter().map(|id| id.as_str().to_owned()).collect())
            }
            Note::EnrichmentsExecuted => Self::EnrichmentsExecuted,
            Note::RoundStarted { round, reason, closing, words_only } => {
                let (round, reason) = (*round, reason.into());
                match (closing, words_only) {
                    (false, false) => Self::RoundStarted(round, reason),
                    // The last round of all is for words anyhow.
                    (true, _) => Self::ClosingRoundStarted(round, reason),
                    (false, true) => Self::WordsRoundStarted(round, reason),
                }
            }
            Note::AttemptStarted { round, attempt } => Self::AttemptStarted(*round, *attempt),
            Note::AiResponseParsed => Self::AiResponseParsed,
            Note::ParseErrorOccurred { faults } => Self::ParseErrorOccurred { faults: faults.clone() },
            Note::DataQueriesExecuted => Self::DataQueriesExecuted,
            Note::ActionsExecuted => Self::ActionsExecuted,
            Note::ActionFailureOccurred => Self::ActionFailureOccurred,
            Note::NetworkRetryScheduled { at } => Self::NetworkRetryScheduled { at: at.0 },
            Note::RetryScheduled { call, at } => Self::RetryScheduled { call: text(call), at: at.0 },
            Note::PassedThrough(phase) => Self::PassedThrough(phase.into()),
            Note::LimitReached(limit) => Self::LimitReached(limit.into()),
            Note::GenerationBegun(generation) => Self::GenerationBegun(*generation),
            Note::FellBack { from, to, class } => {
                Self::FellBack { from: from.clone(), to: to.clone(), class: class.into() }
            }
            Note::ApprovedByPolicy { call, by } => {
                Self::ApprovedByPolicy { call: text(call), by: by.as_ref().map(PolicyAuthor::from) }
            }
            Note::ApprovalAskedAgain { call } => Self::ApprovalAskedAgain { call: text(call) },
            Note::ApprovedByRule { call, rule } => {
                Self::ApprovedByRule { call: text(call), rule: rule.clone() }
            }
            Note::PlanApproved(plan) => Self::PlanApproved(plan.into()),
            Note::PlanStepped { digest, step } => Self::PlanStepped(digest.into(), step.into()),
            Note::WaitExpired => Self::WaitExpired,
            Note::SessionSuspended => Self::SessionSuspended,
            Note::SessionResumed => Self::SessionResumed,
            Note::SessionParked => Self::SessionParked,
            Note::ReplacedInQueue => Self::ReplacedInQueue,
            Note::Quarantined => Self::Quarantined,
            Note::ClosureDelayElapsed => Self::ClosureDelayElapsed,
            Note::SessionCompleted { reason } => Self::SessionCompleted { reason: reason.into() },
        }
    }
}

/// The note of a shape, or the message that it is.
fn note(shape: Appended) -> Result<domain::Note, Box<Message>> {
    use domain::Note;
    Ok(match shape {
        Appended::Message(message) => return Err(message),
        Appended::System(message) => return Err(Box::new(message.into())),
        Appended::MessagesJoined(ids) => Note::MessagesJoined(ids.into_iter().map(MessageId::new).collect()),
        Appended::EnrichmentsExecuted => Note::EnrichmentsExecuted,
        Appended::RoundStarted(round, reason) => {
            Note::RoundStarted { round, reason: reason.0, closing: false, words_only: false }
        }
        Appended::ClosingRoundStarted(round, reason) => {
            Note::RoundStarted { round, reason: reason.0, closing: true, words_only: false }
        }
        Appended::WordsRoundStarted(round, reason) => {
            Note::RoundStarted { round, reason: reason.0, closing: false, words_only: true }
        }
        Appended::AttemptStarted(round, attempt) => Note::AttemptStarted { round, attempt },
        Appended::AiResponseParsed => Note::AiResponseParsed,
        Appended::ParseErrorOccurred { faults } => Note::ParseErrorOccurred { faults },
        Appended::DataQueriesExecuted => Note::DataQueriesExecuted,
        Appended::ActionsExecuted => Note::ActionsExecuted,
        Appended::ActionFailureOccurred => Note::ActionFailureOccurred,
        Appended::NetworkRetryScheduled { at } => Note::NetworkRetryScheduled { at: Timestamp(at) },
        Appended::RetryScheduled { call, at } => {
            Note::RetryScheduled { call: CallId::new(call), at: Timestamp(at) }
        }
        Appended::PassedThrough(phase) => Note::PassedThrough(phase.0),
        Appended::LimitReached(limit) => Note::LimitReached(limit.into()),
        Appended::GenerationBegun(generation) => Note::GenerationBegun(generation),
        Appended::FellBack { from, to, class } => Note::FellBack { from, to, class: class.0 },
        Appended::ApprovedByPolicy { call, by } => {
            Note::ApprovedByPolicy { call: CallId::new(call), by: by.map(Into::into) }
        }
        Appended::ApprovalAskedAgain { call } => Note::ApprovalAskedAgain { call: CallId::new(call) },
        Appended::ApprovedByRule { call, rule } => Note::ApprovedByRule { call: CallId::new(call), rule },
        Appended::PlanApproved(plan) => Note::PlanApproved(plan.into()),
        Appended::PlanStepped(digest, step) => Note::PlanStepped { digest: digest.into(), step: step.into() },
        Appended::WaitExpired => Note::WaitExpired,
        Appended::SessionSuspended => Note::SessionSuspended,
        Appended::SessionResumed => Note::SessionResumed,
        Appended::SessionParked => Note::SessionParked,
        Appended::ReplacedInQueue => Note::ReplacedInQueue,
        Appended::Quarantined => Note::Quarantined,
        Appended::ClosureDelayElapsed => Note::ClosureDelayElapsed,
        Appended::SessionCompleted { reason } => Note::SessionCompleted { reason: reason.0 },
    })
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum Limit = domain::Limit {
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
