//! What can happen to a session, in short words. A [`super::Run`] makes inputs of an act, by the state that it meets.

use entracte_domain::call::CallFailure;
use entracte_domain::id::TaskId;
use entracte_domain::message::UserMessage;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Input, Slot, UserMessageSent};
use entracte_domain::time::Timestamp;

use super::command_request::MachineCommandRequest;
use super::reply::MachineModelReply;

/// One thing that happens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MachineAct {
    /// A user message with the queries of its enrichments.
    Message(Vec<MachineCommandRequest>),
    /// The slot is given, taken, queued for or suspended.
    Slot(Slot),
    /// A person lets it go on.
    Activate,
    /// The model answers the open attempt.
    Reply(Box<MachineModelReply>),
    /// The open attempt, or the compaction, fails.
    ModelFails {
        /// The class of the failure.
        class: FailureClass,
        /// When the provider says to come back, in milliseconds.
        retry_after: Option<i64>,
    },
    /// The open attempt fails, and this provider is named to go on.
    FallsBack {
        /// The class of the failure.
        class: FailureClass,
        /// Who goes on.
        to: &'static str,
    },
    /// The request of the open attempt is larger than it may be, and was not sent.
    TooLarge,
    /// The context was summed up.
    Compacted,
    /// The answer to the request for a summary is of no use.
    SummaryIsFaulty,
    /// There is no summary.
    CompactionFails,
    /// One piece of a long conversation is summed up, and there is more.
    PieceIsRead,
    /// The call at this place of the batch comes to an end.
    Outcome {
        /// Its place.
        at: usize,
        /// What came of it.
        what: ActCallOutcome,
    },
    /// A person decides on the calls at these places.
    Decide(Vec<(usize, ActApprovalChoice)>),
    /// A person answers the question.
    Answer,
    /// A person says what became of the first call of unknown outcome.
    Settle,
    /// A person agrees that the work is done.
    Confirm,
    /// A person says it is not.
    RejectCompletion,
    /// The network is back.
    NetworkBack,
    /// Something of Entracte failed.
    SystemError,
    /// A person stops the work; `true` ends the session.
    Stop(bool),
    /// A person interrupts the round.
    Interrupt,
    /// Time passes, in milliseconds; nothing is fed.
    Wait(i64),
    /// Time passes to the next deadline, which is fed.
    Wake,
    /// `TimeReached` now.
    Time,
    /// The first open task ends.
    TaskEnds,
    /// The first agent that it called ends, while no call waits for it.
    ChildEnds,
    /// The scheduler looks.
    Heartbeat,
    /// The process dies and starts again: what was started is found lost.
    Restart,
    /// An input as it is.
    Raw(Box<Input>),
}

/// What came of a call.
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

/// What a person decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActApprovalChoice {
    /// Yes.
    Yes,
    /// Yes, with this argument instead.
    Edit(i64),
    /// No.
    No,
    /// No, and why.
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
    })
}

/// The open attempt fails.
pub fn fails(class: FailureClass) -> MachineAct {
    MachineAct::ModelFails { class, retry_after: None }
}

/// The open attempt fails, and this provider is named to go on.
pub fn falls_back(class: FailureClass, to: &'static str) -> MachineAct {
    MachineAct::FallsBack { class, to }
}

/// The open attempt is throttled; the provider says when to come back.
pub fn throttled_ms(retry_after: i64) -> MachineAct {
    MachineAct::ModelFails { class: FailureClass::Throttled, retry_after: Some(retry_after) }
}

/// The call at `at` comes to an end.
pub fn outcome(at: usize, what: ActCallOutcome) -> MachineAct {
    MachineAct::Outcome { at, what }
}

/// One decision.
pub fn decide(at: usize, choice: ActApprovalChoice) -> MachineAct {
    MachineAct::Decide(vec![(at, choice)])
}

/// What the tests' tasks are called.
pub fn task() -> TaskId {
    TaskId::new("task")
}

/// The failure of an executor.
pub fn failure(retryable: bool) -> CallFailure {
    CallFailure { code: "BROKEN".into(), message: "it broke".into(), path: None, retryable }
}
