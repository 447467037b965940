//! The things that can happen to a session, in short words. A [`MachineRun`](super::MachineRun) turns an act into
//! inputs that fit its current state.

use entracte_domain::call::CallFailure;
use entracte_domain::id::TaskId;
use entracte_domain::message::UserMessage;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Input, Slot, UserMessageSent};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::PolicyDecision;

use super::command_request::MachineCommandRequest;
use super::reply::MachineModelReply;

/// One thing that happens to a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MachineAct {
    /// A user message with the queries of its enrichments.
    Message(Vec<MachineCommandRequest>),
    /// The slot is granted, taken, queued for or suspended.
    Slot(Slot),
    /// A person activates the session.
    Activate,
    /// The model answers the open attempt.
    Reply(Box<MachineModelReply>),
    /// The open attempt, or the compaction, fails.
    ModelFails {
        /// The class of the failure.
        class: FailureClass,
        /// The retry delay that the provider asks for, in milliseconds.
        retry_after: Option<i64>,
    },
    /// The open attempt fails, and a fallback provider is named.
    FallsBack {
        /// The class of the failure.
        class: FailureClass,
        /// Name of the fallback provider.
        to: &'static str,
    },
    /// The request of the open attempt is too large and was not sent.
    TooLarge,
    /// The open attempt could exceed a cap on money and was not sent.
    TooExpensive,
    /// The context was summarized.
    Compacted,
    /// The answer to the request for a summary is unusable.
    SummaryIsFaulty,
    /// The compaction fails.
    CompactionFails,
    /// One piece of a long conversation is summarized, and more follow.
    PieceIsRead,
    /// The call at this position of the batch ends.
    Outcome {
        /// Its position.
        at: usize,
        /// Its outcome.
        what: ActCallOutcome,
    },
    /// The policy hook answers about the call at this position.
    PolicyAnswers {
        /// Its position.
        at: usize,
        /// The answer.
        what: PolicyDecision,
    },
    /// A person decides on the calls at these positions.
    Decide(Vec<(usize, ActApprovalChoice)>),
    /// A person answers the question.
    Answer,
    /// A person settles the first call with an unknown outcome.
    Settle,
    /// A person confirms that the work is complete.
    Confirm,
    /// A person rejects the completion.
    RejectCompletion,
    /// The network is back.
    NetworkBack,
    /// An internal error of Entracte.
    SystemError,
    /// A person stops the work; `true` ends the session.
    Stop(bool),
    /// A person interrupts the round.
    Interrupt,
    /// Time passes, in milliseconds, without an input.
    Wait(i64),
    /// Time passes to the next deadline, which is fed.
    Wake,
    /// `TimeReached` now.
    Time,
    /// The first open task ends.
    TaskEnds,
    /// The first agent that the session called ends, while no call waits for it.
    ChildEnds,
    /// The heartbeat of the scheduler.
    Heartbeat,
    /// The process is killed and restarted: started attempts are found lost.
    Restart,
    /// An input as it is.
    Raw(Box<Input>),
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the words of `CallOutcome`")]
pub enum ActCallOutcome {
    Succeeds,
    Accepted,
    Fails,
    FailsForNow,
    TimesOut,
    Lost,
    LostInCrash,
    Happened,
    DidNotHappen,
    NobodyKnows,
}

/// The decision of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActApprovalChoice {
    /// Approve.
    Yes,
    /// Approve with this argument instead.
    Edit(i64),
    /// Reject.
    No,
    /// Reject with a reason.
    NoBecause,
}

impl From<MachineModelReply> for MachineAct {
    fn from(reply: MachineModelReply) -> Self {
        MachineAct::Reply(Box::new(reply))
    }
}

impl From<Input> for MachineAct {
    fn from(input: Input) -> Self {
        MachineAct::Raw(Box::new(input))
    }
}

/// A user message.
pub fn message() -> MachineAct {
    MachineAct::Message(Vec::new())
}

/// A user message with an enrichment.
pub fn message_with(query: MachineCommandRequest) -> MachineAct {
    MachineAct::Message(vec![query])
}

/// The input of a user message at `now`.
pub fn sent(enrichments: &[MachineCommandRequest], now: Timestamp) -> Input {
    Input::UserMessageSent(UserMessageSent {
        author: "ann".into(),
        message: UserMessage::text("hello"),
        client_key: None,
        enrichments: enrichments.iter().map(|ask| ask.request(now)).collect(),
        title: None,
        asks: true,
        instead_of: Vec::new(),
    })
}

/// The open attempt fails.
pub fn fails(class: FailureClass) -> MachineAct {
    MachineAct::ModelFails { class, retry_after: None }
}

/// The open attempt fails, and this fallback provider is named.
pub fn falls_back(class: FailureClass, to: &'static str) -> MachineAct {
    MachineAct::FallsBack { class, to }
}

/// The open attempt is throttled; the provider asks for this retry delay in milliseconds.
pub fn throttled_ms(retry_after: i64) -> MachineAct {
    MachineAct::ModelFails { class: FailureClass::Throttled, retry_after: Some(retry_after) }
}

/// The call at `at` ends.
pub fn outcome(at: usize, what: ActCallOutcome) -> MachineAct {
    MachineAct::Outcome { at, what }
}

/// The policy hook answers about the call at `at`.
pub fn policy_answers(at: usize, what: PolicyDecision) -> MachineAct {
    MachineAct::PolicyAnswers { at, what }
}

/// One decision.
pub fn decide(at: usize, choice: ActApprovalChoice) -> MachineAct {
    MachineAct::Decide(vec![(at, choice)])
}

/// The id of the tests' task.
pub fn task() -> TaskId {
    TaskId::new("task")
}

/// A failure from an executor.
pub fn failure(retryable: bool) -> CallFailure {
    CallFailure { code: "BROKEN".into(), message: "it broke".into(), path: None, retryable }
}
